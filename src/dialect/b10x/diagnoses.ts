import { Bin } from '../../event/sink.ts'
import { textAt } from '../values.ts'
import type { Step } from './state.ts'
import { drop } from './talk.ts'
import { K } from './words.ts'

/** `warning`: the harness's own code and words. */
export function warning({ record, node, sink }: Step): Bin {
  const code = textAt(record, record.get(node, K.code))
  if (code === null) return Bin.Opaque
  sink.warning({ at: null, code, message: textAt(record, record.get(node, K.message)) ?? '' })
  return Bin.Translated
}

/** `credential-renewed`: nothing derived from the token is in the record, and its file is nobody's business. */
export function credentialRenewed({ record, node, sink }: Step): Bin {
  const provider = record.text(record.get(node, K.provider))
  sink.warning({
    at: null,
    code: 'credential-renewed',
    message: `the credential${provider === null ? '' : ` of ${provider}`} was renewed`,
  })
  return Bin.Translated
}

/** `compacted`: the numbers behind the `conversation-compacted` warning that stands before it. */
export function compacted({ record, node, sink }: Step): Bin {
  const figure = (
    name: 'elided_results' | 'elided_bytes' | 'summarised_items' | 'bytes_before' | 'bytes_after',
  ) => record.integer(record.get(node, K[name])) ?? 'an unknown number of'
  sink.warning({
    at: null,
    code: 'compacted',
    message:
      `${figure('elided_results')} tool results (${figure('elided_bytes')} bytes) elided, ` +
      `${figure('summarised_items')} items summarised: ` +
      `${figure('bytes_before')} bytes became ${figure('bytes_after')} bytes`,
  })
  return Bin.Translated
}

/**
 * `turn-retried`: what was said in this turn so far is void (spec §2). What is still held is dropped, and its lines
 * are named; what was already written is named by a second warning.
 */
export function retried({ record, node, scope, state, sink }: Step): Bin {
  const turn = record.integer(record.get(node, K.turn))
  const attempt = record.integer(record.get(node, K.attempt))
  const reason = record.text(record.get(node, K.reason))
  const { talk } = state
  const ours = scope === '' && (turn === null || state.turn === null || turn === state.turn)
  const dropped = ours ? drop(talk) : []
  const what = `turn ${turn ?? 'unknown'}${scope === '' ? '' : ` of delegate ${scope}`}, attempt ${attempt ?? 'unknown'}`
  const why = reason === null ? '' : `: ${reason}`
  sink.warning({
    at: null,
    code: 'turn-retried',
    message: `${what}${why} (${dropped.length} deltas dropped)`,
    ...(dropped.length === 0 ? {} : { foldedLines: dropped }),
  })
  if (ours && talk.written !== null) {
    const { first, last, count } = talk.written
    talk.written = null
    sink.warning({
      at: null,
      code: 'deltas-void',
      message: `${what}: the ${count} deltas of lines ${first} to ${last} had been written and are void`,
    })
  }
  return Bin.Translated
}
