import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, test } from 'vitest'

/** The project's folder, with a slash at its end. */
export const projectDir = fileURLToPath(new URL('..', import.meta.url))

/** Sample transcripts, specifications and cases that are kept beside the project, not in it. */
export const sharedDir = process.env['MILLRACE_SHARED'] ?? join(projectDir, '..', 'shared')

/** A `describe` whose tests read below `sharedDir`; `MILLRACE_REQUIRE_SHARED=1` asks that it fail without that folder. */
export function describeWithShared(name: string, body: () => void): void {
  const lack = existsSync(sharedDir) ? null : `no shared samples at ${sharedDir} (set MILLRACE_SHARED)`
  describeWithout(lack, process.env['MILLRACE_REQUIRE_SHARED'] === '1', name, body)
}

/**
 * A `describe` whose tests need what not every machine has: `lack` says what is missing, null for nothing. Then the group is
 * skipped and says so, unless it is required: a check that silently ran nothing would look like one that passed.
 */
export function describeWithout(
  lack: string | null,
  isRequired: boolean,
  name: string,
  body: () => void,
): void {
  if (lack === null) {
    describe(name, body)
  } else if (isRequired) {
    test(name, () => {
      throw new Error(lack)
    })
  } else {
    console.warn(`skipped: ${name}: ${lack}`)
    describe.skip(name, body)
  }
}
