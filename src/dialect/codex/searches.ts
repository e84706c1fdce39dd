import { Bin } from '../../event/sink.ts'
import { textAt } from '../values.ts'
import { callOf, idOf, madeId, request } from './calls.ts'
import { type Evidence, writeEvidence } from './evidence.ts'
import type { Step } from './state.ts'
import { K } from './words.ts'

const MOST_SEARCHES = 256

/** A search as its item tells it. */
export function searchItem(step: Step): Bin {
  const { record, payload, thread } = step
  const { calls } = thread
  const given = textAt(record, record.get(payload, K.id))
  if (callOf(thread, idOf(record, given)) !== undefined) return Bin.Folded
  if (calls.searchEvents > 0) {
    calls.searchEvents--
    return Bin.Folded
  }
  const id = given ?? madeId(record, 'web_search')
  request(step, { id, name: 'web_search', input: record.get(payload, K.action) })
  const kept = idOf(record, id)
  if (kept !== null && calls.searches.length < MOST_SEARCHES) calls.searches.push(kept)
  return Bin.Translated
}

/** A search that is over, as its event tells it: the result of the oldest one open. */
export function searchEvent(step: Step, found: Evidence): Bin {
  const { record, thread } = step
  const { calls } = thread
  const id = idOf(record, found.id)
  const at = id === null ? 0 : Math.max(0, calls.searches.indexOf(id))
  const [open] = calls.searches.splice(at, 1)
  if (open === undefined) calls.searchEvents++
  const callId = open ?? found.id ?? madeId(record, 'web_search')
  if (open === undefined) request(step, { ...found, id: callId })
  writeEvidence(step, { ...found, id: callId }, found.outcome)
  return Bin.Translated
}
