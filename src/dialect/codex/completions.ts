import { Bin } from '../../event/sink.ts'
import { NONE, type Node } from '../../kernel/record.ts'
import { textAt } from '../values.ts'
import { evidence } from './evidence.ts'
import { commandOutcome, type Family, type Outcome, otherOutcome, patchOutcome } from './outcome.ts'
import type { Step } from './state.ts'
import { K, PAYLOAD } from './words.ts'

type Kind = 'command' | 'patch' | 'mcp' | 'host' | 'extension'

/** A record that tells how a call ended. */
export function ended(step: Step, item: Node, kind: Kind): Bin {
  const { record } = step
  const fields = PAYLOAD.read(record, item)
  const id = textAt(record, fields.call_id) ?? textAt(record, record.get(item, K.id))
  if (id === null) return Bin.Opaque
  const turn = record.text(fields.turn_id) ?? record.text(PAYLOAD.read(record, step.payload).turn_id)
  const { name, input, content, family } = accountOf(step, item, kind)
  const outcome = outcomeOf(step, item, kind)
  return evidence(step, { id, name, input, family, outcome, turn, content, item })
}

function outcomeOf({ record }: Step, item: Node, kind: Kind): Outcome {
  if (kind === 'command') return commandOutcome(record, item)
  return kind === 'patch' ? patchOutcome(record, item) : otherOutcome(record, item)
}

interface Account {
  readonly name: Node | string
  readonly input: Node
  readonly content: Node
  readonly family: Family
}

/** What a call without an item of its own is called, and what came out of it. Names are those of items. */
function accountOf({ record }: Step, item: Node, kind: Kind): Account {
  const printed = [K.aggregated_output, K.stdout]
    .map((key) => record.get(item, key))
    .find((node) => record.isString(node))
  if (kind === 'command') {
    return {
      name: 'exec_command',
      input: record.get(item, K.command),
      content: printed ?? NONE,
      family: 'command',
    }
  }
  if (kind === 'patch') {
    return {
      name: 'apply_patch',
      input: record.get(item, K.changes),
      content: printed ?? NONE,
      family: 'patch',
    }
  }
  const called = record.get(item, K.invocation) === NONE ? item : record.get(item, K.invocation)
  const tool = record.text(record.get(called, K.tool)) ?? record.text(record.get(item, K.kind)) ?? kind
  const server = record.text(record.get(called, K.server))
  const results =
    record.get(item, K.results) === NONE ? record.get(item, K.content_items) : record.get(item, K.results)
  return {
    name: kind === 'mcp' && server !== null ? `mcp__${server}__${tool}` : tool,
    input: kind === 'extension' ? record.get(item, K.action) : record.get(called, K.arguments),
    content: results === NONE ? record.get(item, K.result) : results,
    family: 'other',
  }
}
