import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { beforeAll, describe, expect, test } from 'vitest'
import { convert } from '../../src/pipeline/convert.ts'
import { countRecords, countUsage, type CountRequest } from '../../src/pipeline/count.ts'
import { ownFolder } from '../fault/folder.ts'

// What is known of each file is kept until the end of a run. Here that is measured: the same run over two folders, one with
// many more files, and what the files more of it took when the last one was read and nothing more can be collected.

const MOST_BYTES = 1000
const FEW = 500
const MANY = 4500
const folder = ownFolder('many')
let collect: () => void

beforeAll(() => {
  setFlagsFromString('--expose-gc')
  collect = runInNewContext('gc')
  for (const count of [FEW, MANY]) fill(join(folder, String(count)), count)
})

/** Runs that report each finished file, by name. */
const RUNS = {
  convert: (paths: readonly string[], progress: () => void) =>
    convert({ paths, to: () => ({ kind: 'folder', path: join(folder, 'out') }), jobs: 0, progress }),
  usage: (paths: readonly string[], progress: () => void) => countUsage(counting(paths, progress)),
  census: (paths: readonly string[], progress: () => void) => countRecords(counting(paths, progress)),
}

describe('a file more takes few bytes until the end of the run', () => {
  // They take about 700, and took 1,600 as objects; in usage and census 88 are the row of the request in each.
  test.each(['convert', 'usage', 'census'] as const)('of %s', { timeout: 120_000 }, async (run) => {
    // The first run loads and compiles what the others share.
    const held: number[] = []
    for (const count of [FEW, FEW, MANY]) held.push(await heldBy(run, count))
    const [, few = 0, many = 0] = held
    const each = (many - few) / (MANY - FEW)
    expect(each).toBeLessThan(MOST_BYTES)
    // Digests and names are kept at least: less would say that nothing was measured.
    expect(each).toBeGreaterThan(100)
  })
})

/** Bytes in and outside the heap that a run has taken when its last file is read. */
async function heldBy(run: keyof typeof RUNS, files: number): Promise<number> {
  let seen = 0
  let bytes = 0
  collect()
  await new Promise(setImmediate)
  const before = inUse()
  await RUNS[run]([join(folder, String(files))], () => {
    if (++seen === files) bytes = inUse() - before
  })
  expect(seen).toBe(files)
  return bytes
}

function inUse(): number {
  collect()
  collect()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

function counting(paths: readonly string[], progress: () => void): CountRequest {
  return { paths, jobs: 0, progress }
}

/** Short sessions of Claude Code, each with one request. */
function fill(into: string, count: number): void {
  mkdirSync(into)
  for (let i = 0; i < count; i++) {
    const sessionId = `${String(i).padStart(8, '0')}-0000-4000-8000-000000000000`
    const shared = {
      sessionId,
      cwd: '/home/ada/loom',
      version: '2.0.0',
      timestamp: '2026-03-01T10:00:00.000Z',
    }
    const user = { type: 'user', uuid: `u${i}`, message: { role: 'user', content: 'Go on.' }, ...shared }
    const usage = { input_tokens: 3, output_tokens: i }
    const content = [{ type: 'text', text: 'Done.' }]
    const message = {
      id: `msg_${i}`,
      role: 'assistant',
      model: 'claude-opus-4-5',
      content,
      stop_reason: 'end_turn',
      usage,
    }
    const assistant = { type: 'assistant', uuid: `a${i}`, requestId: `req_${i}`, message, ...shared }
    writeFileSync(join(into, `${sessionId}.jsonl`), `${JSON.stringify(user)}\n${JSON.stringify(assistant)}\n`)
  }
}
