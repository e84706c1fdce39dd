import { runType } from './opencode/run-evidence.ts'
import { runAdapter } from './opencode/run.ts'

/**
 * `opencode run --format json`. Kilo writes the same shape, so no record proves OpenCode: it is what remains when
 * nothing in the window proves Kilo.
 */
export const opencodeRun = runAdapter({
  dialect: 'opencode-run',
  slug: 'opencode',
  summary: 'opencode run --format json',
  evidence(record, value) {
    const type = runType(record, value)
    return type === null ? null : { weight: 'weak', reason: `${type} with a session id and a part` }
  },
})
