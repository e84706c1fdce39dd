import { keys } from '../kernel/key.ts'
import type { Node, RecordView } from '../kernel/record.ts'
import { runType } from './opencode/run-evidence.ts'
import { runAdapter } from './opencode/run.ts'

const K = keys('part', 'tool', 'error', 'data', 'metadata', 'provider', 'providerID', 'model', 'modelID')

/** Tools that Kilo adds to those of OpenCode (spec test-cabinet §4.7). */
const OWN_TOOLS: ReadonlySet<string> = new Set(['agent_manager', 'codesearch'])

/** `kilo run --format json`: the shape of `opencode run`, told by Kilo's own tools or its provider. */
export const kilo = runAdapter({
  dialect: 'kilo',
  slug: 'kilo',
  summary: 'kilo run --format json',
  evidence(record, value) {
    if (runType(record, value) === null) return null
    const part = record.get(value, K.part)
    const tool = record.word(record.get(part, K.tool))?.toLowerCase()
    if (tool !== undefined && OWN_TOOLS.has(tool)) return { weight: 'proof', reason: `the tool ${tool}` }
    const error = record.get(record.get(value, K.error), K.data)
    const places = [value, part, record.get(part, K.metadata), error, record.get(error, K.metadata)]
    return places.some((place) => isOwnProvider(record, place))
      ? { weight: 'proof', reason: 'the provider kilo' }
      : null
  },
})

function isOwnProvider(record: RecordView, node: Node): boolean {
  const provider = record.word(record.get(node, K.providerID)) ?? record.word(record.get(node, K.provider))
  if (provider === 'kilo' || provider === 'kilocode') return true
  const model = record.word(record.get(node, K.modelID)) ?? record.word(record.get(node, K.model))
  return model?.startsWith('kilo/') === true
}
