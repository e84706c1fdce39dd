import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Piscina } from 'piscina'
import { compileKernel, createScanMemory, Scanner } from '../kernel/scanner.ts'
import type { DigestTask } from './digest-lane.ts'
import type { RangeScan } from './range.ts'
import type { BatchResult, BatchTask, ScanTask, WriteTask } from './worker-tasks.ts'

// The threads of one run:
//
//   main ── plans, merges totals, translates large transcripts from the tapes of their chunks
//    │
//    ├── workers (one a core)   batches of whole transcripts; or chunks: scan into a slot, copy and write its output
//    └── lanes (when digests of a large transcript are wanted)   input ── SHA-256     output ── SHA-256
//
// Content never crosses threads but through the shared memory of a slot.

/** `.ts` from source, `.js` from dist: a worker is loaded the way its caller was. */
const extension = extname(fileURLToPath(import.meta.url))

/** Memory that a worker's JavaScript may take, in MiB; what it reads lies outside, in its scanner's memory. */
const HEAP_MIB = 512

/** The threads that read, scan and translate. Whoever opens a pool closes it. */
export class Pool {
  readonly threads: number
  /** What chunks of a large transcript are scanned into. Their number bounds its memory; untouched they cost nothing. */
  readonly slots: readonly Scanner[]
  private readonly workers: Piscina

  constructor(threads: number) {
    this.threads = threads
    const module = compileKernel()
    const memories = Array.from({ length: 2 * threads + 1 }, createScanMemory)
    this.slots = memories.map((memory) => new Scanner({ module, memory }))
    this.workers = open('transcripts', threads, { module, memories })
  }

  readBatch(task: BatchTask): Promise<BatchResult> {
    return this.workers.run(task, { name: 'readBatch' })
  }

  scanChunk(task: ScanTask): Promise<RangeScan> {
    return this.workers.run(task, { name: 'scanChunk' })
  }

  writeChunk(task: WriteTask): Promise<void> {
    return this.workers.run(task, { name: 'writeChunk' })
  }

  close(): Promise<void> {
    return this.workers.destroy()
  }
}

/** One thread that hashes a file in order, piece by piece. */
export class DigestLane {
  private readonly worker = open('digest', 1, {})

  async update(file: string, start: number, end: number): Promise<void> {
    const task: DigestTask = { kind: 'update', file, range: { start, end } }
    await this.worker.run(task)
  }

  async finish(): Promise<string> {
    const task: DigestTask = { kind: 'finish' }
    return String(await this.worker.run(task))
  }

  close(): Promise<void> {
    return this.worker.destroy()
  }
}

function open(worker: string, threads: number, workerData: object): Piscina {
  return new Piscina({
    filename: new URL(`../../workers/${worker}${extension}`, import.meta.url).href,
    minThreads: threads,
    maxThreads: threads,
    recordTiming: false,
    workerData,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB },
    ...(extension === '.ts' ? { execArgv: ['--import', 'tsx'] } : {}),
  })
}
