import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { makeCorpus, type CorpusOptions } from '../../scripts/make-corpus.ts'

/** A folder of this test file's own, gone after it. */
export function ownFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `millrace-${name}-`))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** One generated transcript. Its path. */
export async function generatedFile(
  out: string,
  sizeBytes: number,
  options: Partial<CorpusOptions> = {},
): Promise<string> {
  const { files } = await makeCorpus({
    dialect: 'claude-session',
    seed: 1,
    ...options,
    files: 1,
    sizeBytes,
    out,
  })
  const [file] = files
  if (file === undefined) throw new Error('nothing was generated')
  return file.path
}

/** Paths of all files below a folder; none when there is no folder. */
export function filesIn(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted()
}
