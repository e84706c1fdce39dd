import { Bin } from '../event/sink.ts'
import { keys } from '../kernel/key.ts'
import { NONE } from '../kernel/record.ts'
import type { Adapter } from './adapter.ts'
import { WITHOUT_END } from './endings.ts'
import { textAt } from './values.ts'

/** Fields by which most formats name what a record is. */
const K = keys('type', 'kind', 'event', 'subtype')

/**
 * What is left when no dialect was recognised: every record is kept as one opaque event. Nothing is known of how such
 * a transcript ends, so nothing is promised.
 */
export const unknown: Adapter<null> = {
  dialect: 'unknown',
  summary: 'nothing recognised: every record opaque',
  evidence: () => null,
  runId: null,
  initial: () => null,
  step(record, _state, sink) {
    const { root } = record
    const named = [K.type, K.kind, K.event]
      .map((key) => record.get(root, key))
      .find((node) => record.isString(node))
    const vendorSubtype = textAt(record, record.get(root, K.subtype))
    sink.opaque({ at: null, vendorType: textAt(record, named ?? NONE), vendorSubtype })
    return Bin.Opaque
  },
  end: () => WITHOUT_END,
}
