import { Bin } from '../event/sink.ts'
import type { Adapter } from './adapter.ts'

/**
 * What is left when no dialect was recognised: every record is kept as one opaque event. Nothing is known of how such
 * a transcript ends, so nothing is promised.
 */
export const unknown: Adapter<null> = {
  dialect: 'unknown',
  summary: 'nothing recognised: every record opaque',
  evidence: () => null,
  runId: () => null,
  initial: () => null,
  step(_record, _state, sink) {
    sink.opaque({ at: null, vendorType: null, vendorSubtype: null })
    return Bin.Opaque
  },
  end: () => ({ reason: 'error', terminal: false, promised: false }),
}
