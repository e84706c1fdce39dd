import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, test } from 'vitest'

/** The project's folder, with a slash at its end. */
export const projectDir = fileURLToPath(new URL('..', import.meta.url))

/** Sample transcripts, specifications and cases that are kept beside the project, not in it. */
export const sharedDir = process.env['MILLRACE_SHARED'] ?? join(projectDir, '..', 'shared')

/**
 * A `describe` whose tests read below `sharedDir`.
 *
 * Without that folder the group is skipped and says so, unless
 * `MILLRACE_REQUIRE_SHARED=1` asks that it fail: a check that silently ran
 * nothing would look like one that passed.
 */
export function describeWithShared(name: string, body: () => void): void {
  if (existsSync(sharedDir)) {
    describe(name, body)
    return
  }
  const reason = `no shared samples at ${sharedDir} (set MILLRACE_SHARED)`
  if (process.env['MILLRACE_REQUIRE_SHARED'] !== '1') {
    console.warn(`skipped: ${name}: ${reason}`)
    describe.skip(name, body)
    return
  }
  test(name, () => {
    throw new Error(reason)
  })
}
