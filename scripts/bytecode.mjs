// Usage: node scripts/bytecode.mjs FILE
// Writes the bytecode that `src/start/part.ts` loads: of everything that was compiled while the command ran here.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from './stamps.mjs'

const [file] = process.argv.slice(2)
if (file === undefined) throw new Error('no file is named')

/** @type {typeof import('../src/start/part.ts')} */
const { open } = createRequire(import.meta.url)('../dist/src/start/part.cjs')
const { parts, script } = open()
const scratch = mkdtempSync(join(tmpdir(), 'millrace-'))
try {
  const { main } = parts.program()
  const corpus = join(root, 'corpora/demo')
  const to = join(scratch, 'out/')
  // In this thread: what others compile is theirs.
  const runs = [
    ['convert', corpus, '-o', to, '--jobs', '0', '--quiet'],
    ['usage', corpus, '--jobs', '0', '--quiet'],
  ]
  for (const args of runs) {
    const code = await main(args, '0.0.0')
    if (code !== 0) throw new Error(`millrace ${args.join(' ')} ended with ${code}`)
  }
  parts.transcripts()
} finally {
  rmSync(scratch, { recursive: true })
}
writeFileSync(join(root, file), script.createCachedData())
