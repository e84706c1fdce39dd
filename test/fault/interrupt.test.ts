import { spawn, type ChildProcess } from 'node:child_process'
import { readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { beforeAll, describe, expect, test } from 'vitest'
import { commandPath, millrace } from '../cli/command.ts'
import { filesIn, generatedFile, ownFolder } from './folder.ts'

const folder = ownFolder('interrupt')
/** Enough to be at work for a good while, and for all workers at once. */
const LARGE_BYTES = 80e6
let large = ''
let small = ''

beforeAll(async () => {
  large = await generatedFile(join(folder, 'in', 'large'), LARGE_BYTES)
  small = join(folder, 'in', '0.jsonl')
  renameSync(await generatedFile(join(folder, 'in', 'small'), 20_000, { dialect: 'b10x' }), small)
})

interface Interrupted {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stderr: string
  readonly tookMs: number
}

/** Start the command and interrupt it when `ready` says so. */
async function interrupted(
  args: readonly string[],
  ready: (child: ChildProcess) => Promise<unknown>,
  signal: NodeJS.Signals = 'SIGINT',
): Promise<Interrupted> {
  const child = spawn(process.execPath, [commandPath, ...args], { stdio: ['pipe', 'ignore', 'pipe'] })
  let stderr = ''
  child.stderr.on('data', (bytes: Buffer) => {
    stderr += bytes.toString()
  })
  const closed = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.on('close', (code, killedBy) => resolve({ code, signal: killedBy }))
  })
  await ready(child)
  const started = performance.now()
  child.kill(signal)
  const ended = await closed
  return { ...ended, stderr, tookMs: performance.now() - started }
}

/** Paths of the files below a folder, relative to it. */
function names(from: string): string[] {
  return filesIn(from).map((path) => path.slice(from.length))
}

/** Wait until an output is being written. */
async function partBelow(out: string): Promise<void> {
  while (!filesIn(out).some((path) => path.endsWith('.part'))) await setTimeout(2)
}

describe('an interrupt', () => {
  test.each([
    { jobs: 0, signal: 'SIGINT' },
    { jobs: 2, signal: 'SIGINT' },
    { jobs: 2, signal: 'SIGTERM' },
  ] as const)(
    '$signal ends a conversion with --jobs $jobs, soon, and leaves nothing half-written',
    async ({ jobs, signal }) => {
      const out = join(folder, `out-${jobs}-${signal}`)
      const args = ['convert', large, '-o', `${out}/`, '--jobs', String(jobs)]
      const ended = await interrupted(args, () => partBelow(out), signal)
      expect(ended).toMatchObject({
        code: 130,
        signal: null,
        stderr: 'millrace: interrupted; finished outputs stay, unfinished ones were removed\n',
      })
      expect(ended.tookMs).toBeLessThan(2_000)
      expect(filesIn(out)).toEqual([])
    },
  )

  test('leaves finished outputs, and running again gives the bytes of an undisturbed run', async () => {
    const out = join(folder, 'twice')
    const undisturbed = join(folder, 'undisturbed')
    const args = ['convert', small, large, '--jobs', '0']
    const ended = await interrupted([...args, '-o', out], async () => {
      while (!filesIn(out).some((path) => path.endsWith('.jsonl'))) await setTimeout(2)
      await partBelow(out)
    })
    expect(ended.code).toBe(130)
    const finished = filesIn(out)
    expect(finished).toEqual([join(out, '0.events.jsonl')])
    expect((await millrace([...args, '-o', out])).code).toBe(0)
    expect((await millrace([...args, '-o', undisturbed])).code).toBe(0)
    expect(names(out)).toEqual(names(undisturbed))
    for (const name of names(out)) {
      expect(readFileSync(out + name).equals(readFileSync(undisturbed + name))).toBe(true)
    }
  })

  test('is heard while standard input has nothing to give', async () => {
    const out = join(folder, 'stdin.events.jsonl')
    const begin = readFileSync(large).subarray(0, 3e6)
    const ended = await interrupted(['convert', '-', '-o', out], async (child) => {
      await new Promise((resolve) => child.stdin?.write(begin, resolve))
      await partBelow(folder)
    })
    expect(ended.code).toBe(130)
    expect(ended.tookMs).toBeLessThan(2_000)
    expect(filesIn(folder).filter((path) => path.includes('stdin'))).toEqual([])
  })

  test.each(['usage', 'census', 'check'])('ends %s', async (command) => {
    const begin = readFileSync(large).subarray(0, 3e6)
    const ended = await interrupted([command, '-'], async (child) => {
      await new Promise((resolve) => child.stdin?.write(begin, resolve))
      await setTimeout(50)
    })
    expect(ended.code).toBe(130)
  })
})
