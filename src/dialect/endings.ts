import type { Ending } from './adapter.ts'

/** How a transcript stands whose dialect has a terminal record, until that is seen. */
export const UNFINISHED: Ending = { reason: 'error', terminal: false, promised: true }

/** How a transcript ends whose dialect has no terminal record: nothing says whether the run came to its end. */
export const WITHOUT_END: Ending = { reason: 'error', terminal: false, promised: false }
