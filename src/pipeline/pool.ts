import { Piscina } from 'piscina'
import { compileKernel } from '../kernel/kernel.ts'
import { createScanMemory, type ScanFacts, Scanner } from '../kernel/scanner.ts'
import type { DecodeTask, FilledBlock } from './decode-lane.ts'
import type { DigestSpan, DigestTask } from './digest-lane.ts'
import { restored } from './portable.ts'
import type { RangeScan } from './range.ts'
import type { BatchResult, BatchTask } from './read-batch.ts'
import type { FilledTask, ScanTask, WriteTask } from './worker-tasks.ts'

// The threads of one run:
//
//   main ── plans, merges totals, translates large transcripts from the tapes of their chunks
//    │
//    ├── workers (one a core)   batches of whole transcripts; or chunks: scan into a slot, copy and write its output
//    ├── lanes (when digests of a large transcript are wanted)   input ── SHA-256     output ── SHA-256; the work of the
//    │   worker where there is only one
//    └── a lane (for a large compressed file)   decompressed into blocks, of which this thread fills slots
//
// Content never crosses threads but through the shared memory of a slot or block.

/** Threads load what was built, also when this file runs from source (in tests): they have no loader for TypeScript. */
const WORKERS = new URL(
  import.meta.url.endsWith('.ts') ? '../../dist/workers/' : '../../workers/',
  import.meta.url,
)

/** Memory that a worker's JavaScript may take, in MiB; what it reads lies outside, in its scanner's memory. */
const HEAP_MIB = 512

/**
 * Tasks that a worker is given at a time: it does one, and has the next one when it is done. To wake a thread costs more
 * than some of what a chunk needs.
 */
const TASKS_EACH = 4

/** Slots beside those that workers are at work in. */
const SLOTS = 3

/** The threads that read, scan and translate. Whoever opens a pool closes it. */
export class Pool {
  readonly threads: number
  /** What chunks of a large transcript are scanned into. Their number bounds its memory; untouched they cost nothing. */
  readonly slots: readonly Scanner[]
  private readonly memories: readonly WebAssembly.Memory[]
  private readonly workers: Threads
  private lanes = 0

  /** @param threads workers beside the thread that opens the pool */
  constructor(threads: number) {
    this.threads = threads
    const module = compileKernel()
    const memories = Array.from({ length: SLOTS + 2 * threads }, createScanMemory)
    this.memories = memories
    this.slots = memories.map((memory) => new Scanner({ module, memory }))
    this.workers = new Threads('transcripts', threads, { module, memories }, TASKS_EACH)
  }

  /** @throws OutputError, SourceError, WorkerLostError; so do the others */
  readBatch(task: BatchTask): Promise<BatchResult> {
    return this.workers.run('readBatch', task)
  }

  scanChunk(task: ScanTask): Promise<RangeScan> {
    return this.workers.run('scanChunk', task)
  }

  scanFilled(task: FilledTask): Promise<ScanFacts> {
    return this.workers.run('scanFilled', task)
  }

  /** The compressed output, where it is asked for. */
  writeChunk(task: WriteTask): Promise<Uint8Array | null> {
    return this.workers.run('writeChunk', task)
  }

  /** Hashes one file of a transcript, in a thread of its own where there are cores for it. Whoever asks for it closes it. */
  digestLane(): DigestLane {
    return new DigestLane(this.lanes++, this.threads === 1 ? this.workers : null, this.memories)
  }

  close(): Promise<void> {
    return this.workers.close()
  }
}

/** One thread that hashes a file span by span, in the order in which the spans are named. */
export class DigestLane {
  private readonly lane: number
  private readonly worker: Threads
  private readonly isShared: boolean
  /** The thread has one task at a time, and what is named meanwhile becomes the next: few messages, in plain order. */
  private last: Promise<unknown> = Promise.resolve()
  private next: { readonly spans: DigestSpan[]; readonly done: Promise<void> } | null = null

  /** @param shared the only worker there is, which then does this as well: a thread that is at work need not be woken */
  constructor(lane: number, shared: Threads | null, memories: readonly WebAssembly.Memory[]) {
    this.lane = lane
    this.isShared = shared !== null
    this.worker = shared ?? new Threads('digest', 1, { memories })
  }

  /** Settled when the span has been hashed. @throws SourceError when its file cannot be read; WorkerLostError */
  update(span: DigestSpan): Promise<void> {
    if (this.next === null) {
      const spans: DigestSpan[] = []
      const done = this.after(this.last, spans)
      this.next = { spans, done }
      this.last = done.catch(() => {}) // thrown to those who named the spans
    }
    this.next.spans.push(span)
    return this.next.done
  }

  /** The SHA-256 of all spans. */
  async finish(): Promise<string> {
    await this.last
    return String(await this.run(null))
  }

  async close(): Promise<void> {
    if (!this.isShared) await this.worker.close()
  }

  private async after(before: Promise<unknown>, spans: readonly DigestSpan[]): Promise<void> {
    await before
    this.next = null
    await this.run(spans)
  }

  private run(spans: DigestTask['spans']): Promise<unknown> {
    return this.worker.run('digestStep', { lane: this.lane, spans })
  }
}

/** One thread that decompresses a file, block by block. */
export class DecodeLane {
  private readonly worker = new Threads('decode', 1, {})

  /** Steps are done in the order in which they are asked for. @throws SourceError, WorkerLostError */
  step(task: DecodeTask): Promise<FilledBlock> {
    return this.worker.run('default', task)
  }

  close(): Promise<void> {
    return this.worker.close()
  }
}

/** Threads that run the tasks of one file in `workers/`. */
class Threads {
  private readonly piscina: Piscina
  /** Why there are no threads any more. */
  private failure: Error | null = null

  constructor(worker: string, threads: number, workerData: object, tasksEach = 1) {
    this.piscina = new Piscina({
      filename: new URL(`${worker}.cjs`, WORKERS).href,
      minThreads: threads,
      maxThreads: threads,
      concurrentTasksPerWorker: tasksEach,
      recordTiming: false,
      // The first chunk of a transcript is the one that is waited for, and the largest transcript the one to begin with.
      stricterFIFO: true,
      workerData,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB },
    })
    // A thread that dies at work rejects its task. One that dies before has no successor, and tasks would wait for ever.
    this.piscina.on('error', (error: Error) => {
      if (this.piscina.threads.length > 0) return
      this.failure = error
      void this.piscina.destroy()
    })
  }

  /** @throws OutputError, SourceError, WorkerLostError */
  async run<R>(name: string, task: object | null): Promise<R> {
    try {
      return await this.piscina.run(task, { name })
    } catch (error) {
      throw restored(this.failure ?? error)
    }
  }

  close(): Promise<void> {
    return this.piscina.destroy()
  }
}
