import type { CloseReason } from '../event/events.ts'

/**
 * How a run ended, by the `result` record of Claude Code and of those that write the same. `is_error` is trusted over
 * the subtype: a failure of the API ends with `success` and `is_error` true.
 */
export function resultReason(isError: boolean | null, subtype: string | null): CloseReason {
  if (subtype?.startsWith('error_max_') === true) return 'budget'
  if (isError === true) return 'error'
  return isError === false || subtype === 'success' ? 'completed' : 'error'
}
