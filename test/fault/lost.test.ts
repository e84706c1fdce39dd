import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { spawn } from 'node:child_process'
import { setTimeout } from 'node:timers/promises'
import { Piscina } from 'piscina'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { Dialects } from '../../src/dialect/registry.ts'
import { Scanner } from '../../src/kernel/scanner.ts'
import { readLarge } from '../../src/pipeline/large.ts'
import { Pool } from '../../src/pipeline/pool.ts'
import { WorkerLostError } from '../../src/pipeline/portable.ts'
import { runJobs } from '../../src/pipeline/run.ts'
import type { ScanTask } from '../../src/pipeline/worker-tasks.ts'
import { SourceError } from '../../src/source/source-error.ts'
import { commandPath, millrace } from '../cli/command.ts'
import { everyOption, jobOf, KeptOutput } from '../pipeline/converting.ts'
import { filesIn, generatedFile, ownFolder } from './folder.ts'

const folder = ownFolder('lost')
const pools: Pool[] = []
let file = ''

beforeAll(async () => {
  file = await generatedFile(join(folder, 'in'), 26e6)
})
afterAll(async () => {
  for (const pool of pools) await pool.close()
})

function opened<P extends Pool>(pool: P): P {
  pools.push(pool)
  return pool
}

/** End the threads of a pool, as the system does when memory is short. */
async function kill(pool: Pool): Promise<void> {
  const threads: object = Reflect.get(pool, 'workers')
  const workers: unknown = Reflect.get(threads, 'piscina')
  if (!(workers instanceof Piscina)) throw new Error('a pool keeps its threads elsewhere')
  await Promise.all(workers.threads.map((thread) => thread.terminate()))
}

const tools = () => ({ scanner: new Scanner(), dialects: new Dialects(), stream: null })

describe('a worker that dies', () => {
  test('over whole transcripts is told, and its successor goes on', async () => {
    const pool = opened(new Pool(1))
    const task = { jobs: [jobOf(file, 0)], options: everyOption() }
    const lost = pool.readBatch(task)
    await Promise.all([expect(lost).rejects.toThrow(WorkerLostError), setTimeout(30).then(() => kill(pool))])
    const { results } = await pool.readBatch(task)
    expect(results.map((result) => result.error)).toEqual([null])
  })

  test('over chunks of a large transcript is told, leaves no part, and its successor gives the same bytes', async () => {
    const pool = opened(new Pool(2))
    const output = join(folder, 'chunks.events.jsonl')
    const job = jobOf(file, statSync(file).size, output)
    const lost = readLarge(job, everyOption({ digest: true, chunkBytes: 64 * 1024 }), tools(), pool)
    await Promise.all([expect(lost).rejects.toThrow(WorkerLostError), setTimeout(100).then(() => kill(pool))])
    expect(filesIn(folder).filter((path) => path.includes('chunks'))).toEqual([])
    const [again] = await readLarge(job, everyOption({ digest: true }), tools(), pool)
    const stream = new KeptOutput()
    const [inOrder] = await readLarge({ ...job, output: null }, everyOption(), { ...tools(), stream }, pool)
    expect(readFileSync(output).equals(stream.kept())).toBe(true)
    expect(again?.events).toBe(inOrder?.events)
  })

  test('before it has begun is told: tasks do not wait for ever', async () => {
    const pool = opened(new Pool(1))
    const task = { jobs: [jobOf(file, 0)], options: everyOption() }
    const lost = pool.readBatch(task)
    await Promise.all([expect(lost).rejects.toThrow(WorkerLostError), kill(pool)])
  })

  test('ends the reading of its transcript only', async () => {
    const names = ['a', 'b', 'c'].map((name) => join(folder, `${name}.jsonl`))
    for (const name of names) writeFileSync(name, readFileSync(file).subarray(0, 3e6))
    const { readBatch } = Pool.prototype
    const spy = vi.spyOn(Pool.prototype, 'readBatch').mockImplementation(function (this: Pool, task) {
      const isLost = task.jobs.some((job) => job.path === 'b.jsonl')
      return isLost ? Promise.reject(new WorkerLostError('the worker was lost')) : readBatch.call(this, task)
    })
    const jobs = names.map((name, index) => ({ ...jobOf(name, 3e6), index }))
    const { results, census } = await runJobs(jobs, everyOption(), { jobs: 1, stream: null })
    spy.mockRestore()
    expect([...results].map((result) => result.error?.code)).toEqual([
      undefined,
      'ERR_WORKER_LOST',
      undefined,
    ])
    expect(results.at(1)?.error?.message).toMatch(/^b\.jsonl: the worker was lost; try again/)
    expect(census.transcripts.completeness.failed).toBe(1)
  })
})

/** Takes a file away when the second piece of it is asked for. */
class TakingPool extends Pool {
  private scans = 0

  override scanChunk(task: ScanTask): ReturnType<Pool['scanChunk']> {
    if (++this.scans === 2) rmSync(task.file)
    return super.scanChunk(task)
  }
}

describe('a file that vanishes', () => {
  test('before it is opened is told, and the others are read', async () => {
    const gone = { ...jobOf(join(folder, 'gone.jsonl'), 10), index: 0 }
    const there = { ...jobOf(file, 10), index: 1 }
    const { results } = await runJobs([gone, there], everyOption(), { jobs: 0, stream: null })
    const errors = Object.fromEntries([...results].map((result) => [result.path, result.error]))
    expect(errors['gone.jsonl']?.code).toBe('ERR_NOT_FOUND')
    expect(errors['gone.jsonl']?.message).toContain('gone.jsonl: no such file')
    expect(errors[there.path]).toBeNull()
  })

  test.each([0, 2])('after it was planned as a large one is told, with %i workers', async (jobs) => {
    const gone = jobOf(join(folder, 'gone.jsonl'), 30e6, join(folder, 'gone.events.jsonl'))
    const { results } = await runJobs([gone], everyOption(), { jobs, stream: null })
    expect([...results].map((result) => result.error?.code)).toEqual(['ERR_NOT_FOUND'])
    expect(filesIn(folder).filter((path) => path.includes('gone'))).toEqual([])
  })

  test('while all workers read it is told, and no part is left', async () => {
    const pool = opened(new TakingPool(2))
    const copy = join(folder, 'copy.jsonl')
    writeFileSync(copy, readFileSync(file).subarray(0, 5e6))
    const job = jobOf(copy, 5e6, join(folder, 'copy.events.jsonl'))
    const reading = readLarge(job, everyOption({ chunkBytes: 64 * 1024 }), tools(), pool)
    await expect(reading).rejects.toThrow(SourceError)
    expect(filesIn(folder).filter((path) => path.includes('copy'))).toEqual([])
  })
})

describe('a process that is killed', () => {
  test.each([0, 2])(
    'with --jobs %i leaves no output under its name, and the next run gives all',
    async (jobs) => {
      const out = join(folder, `killed-${jobs}`)
      const args = ['convert', file, '-o', `${out}/`, '--jobs', String(jobs)]
      const child = spawn(process.execPath, [commandPath, ...args], { stdio: 'ignore' })
      const closed = new Promise((resolve) => child.on('close', resolve))
      while (filesIn(out).length === 0) await setTimeout(2)
      child.kill('SIGKILL')
      await closed
      expect(filesIn(out).every((path) => path.endsWith('.part'))).toBe(true)
      expect((await millrace(args)).code).toBe(0)
      const stream = await millrace(['convert', file, '--jobs', '0'])
      const written = filesIn(out).filter((path) => path.endsWith('.events.jsonl'))
      expect(written).toHaveLength(1)
      expect(readFileSync(written[0] ?? '').equals(stream.stdout)).toBe(true)
      expect(filesIn(out).some((path) => path.endsWith('.part'))).toBe(false)
    },
  )
})
