import { Bin } from '../../event/sink.ts'
import { NONE } from '../../kernel/record.ts'
import { textAt } from '../values.ts'
import { answer, callOf, idOf, madeId, request } from './calls.ts'
import { evidence } from './evidence.ts'
import { searchItem } from './searches.ts'
import type { Step } from './state.ts'
import { message, otherAgent, reasoning } from './talk.ts'
import { K, PAYLOAD } from './words.ts'

const bookkeeping = (): Bin => Bin.Bookkeeping

/** What becomes of each `response_item` (spec vendor-transcripts §4.2). One that is not here is opaque. */
export const ITEMS: ReadonlyMap<string, (step: Step) => Bin> = new Map([
  ['message', message],
  ['agent_message', otherAgent],
  ['reasoning', reasoning],
  ['function_call', functionCall],
  ['function_call_output', output],
  ['custom_tool_call', customCall],
  ['custom_tool_call_output', output],
  ['local_shell_call', shellCall],
  ['local_shell_call_output', output],
  ['web_search_call', searchItem],
  ['tool_search_call', toolSearch],
  ['tool_search_output', foundTools],
  ['image_generation_call', image],
  // Snapshots of the work tree, tools offered, and history that is encrypted or repeated.
  ['ghost_snapshot', bookkeeping],
  ['additional_tools', bookkeeping],
  ['compaction', bookkeeping],
  ['compaction_summary', bookkeeping],
  ['compaction_trigger', bookkeeping],
  ['context_compaction', bookkeeping],
])

function functionCall(step: Step): Bin {
  const { record, payload } = step
  const id = textAt(record, PAYLOAD.read(record, payload).call_id)
  const name = record.get(payload, K.name)
  if (id === null || !record.isString(name)) return Bin.Opaque
  const space = record.text(record.get(payload, K.namespace))
  const behindMcp = space?.startsWith('mcp__') === true
  const tool = behindMcp ? `${space.replace(/_*$/, '')}__${record.text(name) ?? ''}` : name
  request(step, { id, name: tool, input: record.get(payload, K.arguments), encoded: true })
  return Bin.Translated
}

/** Its input is text and not JSON: a patch, a script. */
function customCall(step: Step): Bin {
  const { record, payload } = step
  const id = textAt(record, PAYLOAD.read(record, payload).call_id)
  const name = textAt(record, record.get(payload, K.name))
  if (id === null || name === null) return Bin.Opaque
  request(step, { id, name, input: record.get(payload, K.input) })
  return Bin.Translated
}

function shellCall(step: Step): Bin {
  const { record, payload } = step
  const id =
    textAt(record, PAYLOAD.read(record, payload).call_id) ??
    textAt(record, record.get(payload, K.id)) ??
    madeId(record, 'local_shell')
  request(step, { id, name: 'local_shell', input: record.get(payload, K.action) })
  return Bin.Translated
}

function output(step: Step): Bin {
  const { record, payload } = step
  const id = textAt(record, PAYLOAD.read(record, payload).call_id)
  const content = record.get(payload, K.output)
  return id === null ? Bin.Opaque : answer(step, id, content)
}

function toolSearch(step: Step): Bin {
  const { record, payload } = step
  const id =
    textAt(record, PAYLOAD.read(record, payload).call_id) ??
    textAt(record, record.get(payload, K.id)) ??
    madeId(record, 'tool_search')
  request(step, { id, name: 'tool_search', input: record.get(payload, K.arguments) })
  return Bin.Translated
}

function foundTools(step: Step): Bin {
  const { record, payload } = step
  const id = textAt(record, PAYLOAD.read(record, payload).call_id)
  return id === null ? Bin.Opaque : answer(step, id, record.get(payload, K.tools))
}

/** A call and its result in one; `image_generation_end` tells the same. */
export function image(step: Step): Bin {
  const { record, payload, thread } = step
  const { call_id: callId } = PAYLOAD.read(record, payload)
  const id =
    textAt(record, callId) ?? textAt(record, record.get(payload, K.id)) ?? madeId(record, 'image_generation')
  if (callOf(thread, idOf(record, id)) !== undefined) return Bin.Folded
  const status = record.word(record.get(payload, K.status))
  const isError = status === 'completed' ? false : status === 'failed' ? true : null
  const result = record.get(payload, K.result)
  return evidence(step, {
    id,
    name: 'image_generation',
    input: record.get(payload, K.revised_prompt),
    family: 'other',
    outcome: { isError, exitCode: null, declined: false, contradictory: false },
    turn: null,
    content: result,
    item: NONE,
  })
}
