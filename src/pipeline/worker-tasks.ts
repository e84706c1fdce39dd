import { workerData } from 'node:worker_threads'
import { Dialects } from '../dialect/registry.ts'
import { type ScanFacts, Scanner } from '../kernel/scanner.ts'
import { type Census, emptyCensus, mergeCensus } from '../sink/census-counts.ts'
import { completeOutput, type Handover } from '../sink/splice.ts'
import { FileSource } from '../source/source.ts'
import type { JobOptions, TranscriptJob, TranscriptResult } from './job.ts'
import { writePlaced } from './output.ts'
import { OutputError } from './output-error.ts'
import { type ByteRange, type RangeScan, scanRange } from './range.ts'
import { readTranscript } from './transcript.ts'

// What one worker keeps between tasks: a scanner for whole transcripts, and one for each slot of a large one.
const slots = new Map<number, Scanner>()
const dialects = new Dialects()
let own: Scanner | null = null

export interface BatchTask {
  readonly jobs: readonly TranscriptJob[]
  readonly options: JobOptions
}

export interface BatchResult {
  readonly results: readonly TranscriptResult[]
  /** The census of all of them; the results have none of their own. */
  readonly census: Census
}

/** Read whole transcripts, one after the other. @throws OutputError, its code in front of the message */
export function readBatch(task: BatchTask): Promise<BatchResult> {
  return readAll(task).catch((error: unknown) => {
    throw portable(error)
  })
}

async function readAll(task: BatchTask): Promise<BatchResult> {
  own ??= new Scanner(moduleFromMain())
  const census = emptyCensus()
  const results: TranscriptResult[] = []
  for (const job of task.jobs) {
    const result = await readTranscript(job, task.options, { scanner: own, dialects, stream: null })
    if (result.census !== null) mergeCensus(census, result.census)
    results.push({ ...result, census: null })
  }
  return { results, census }
}

/** One memory that a chunk of a large transcript is scanned into, and its output copied together in. */
export interface Slot {
  readonly id: number
  readonly memory: WebAssembly.Memory
}

export interface ScanTask {
  readonly slot: Slot
  readonly file: string
  readonly range: ByteRange
  readonly lineLimit: number
}

/** Read and scan one range of a large transcript into its slot. */
export function scanChunk(task: ScanTask): RangeScan {
  const file = new FileSource(task.file)
  try {
    return scanRange(file, task.range, task.lineLimit, slotScanner(task.slot))
  } finally {
    file.close()
  }
}

export interface WriteTask {
  readonly slot: Slot
  readonly scan: ScanFacts
  readonly output: Handover
  /** Where the chunk's output goes; null leaves it at the slot's output region. */
  readonly place: { readonly part: string; readonly position: number } | null
}

/** Copy the output of a chunk together, as it was listed, and write it at its place. @throws OutputError as above */
export function writeChunk(task: WriteTask): void {
  const scanner = slotScanner(task.slot)
  scanner.adopt(task.scan)
  const output = completeOutput(scanner, task.output)
  if (task.place === null) return
  try {
    writePlaced(task.place.part, output, task.place.position)
  } catch (error) {
    throw portable(error)
  }
}

/** Classes do not survive the way out of a worker: the code goes with the message. */
function portable(error: unknown): unknown {
  return error instanceof OutputError ? new Error(`${error.code}: ${error.message}`) : error
}

function slotScanner(slot: Slot): Scanner {
  const known = slots.get(slot.id)
  if (known !== undefined) return known
  const made = new Scanner({ ...moduleFromMain(), memory: slot.memory })
  slots.set(slot.id, made)
  return made
}

/** The kernel that the main thread compiled; Piscina wraps what it was given for its workers. */
function moduleFromMain(): { readonly module?: WebAssembly.Module } {
  const data: unknown = Array.isArray(workerData) ? workerData[1] : workerData
  if (typeof data !== 'object' || data === null || !('module' in data)) return {}
  return data.module instanceof WebAssembly.Module ? { module: data.module } : {}
}
