import { INPUT_AT, type ScanFacts, Scanner } from '../kernel/scanner.ts'
import { completeOutput, type Handover } from '../sink/splice.ts'
import { type Compression, compressorFor } from '../source/compress.ts'
import { FileSource } from '../source/source.ts'
import { writePlaced } from './output.ts'
import { portable } from './portable.ts'
import { type ByteRange, type RangeScan, scanRange } from './range.ts'
import type { BatchResult, BatchTask } from './read-batch.ts'
import { fromMain, slotMemory } from './worker-data.ts'

/** What one worker keeps between tasks: a scanner for each slot of a large transcript. */
const slots = new Map<number, Scanner>()

/** The batch that is being read: another one is sent ahead, so that the worker need not wait for it. */
let reading: Promise<unknown> = Promise.resolve()

/** Read whole transcripts, one after the other. @throws OutputError, its code in front of the message */
export function readBatch(task: BatchTask): Promise<BatchResult> {
  const batch = readAfter(reading, task)
  reading = batch.catch(() => {}) // thrown to who sent it
  return batch
}

async function readAfter(before: Promise<unknown>, task: BatchTask): Promise<BatchResult> {
  await before
  // Workers that only scan chunks start faster without the dialects.
  const { readAll } = await import('./read-batch.ts')
  return readAll(task).catch((error: unknown) => {
    throw portable(error)
  })
}

export interface ScanTask {
  /** Number of the memory to scan into, among those the pool was opened with. */
  readonly slot: number
  readonly file: string
  readonly range: ByteRange
  readonly lineLimit: number
}

/** Read and scan one range of a large transcript into its slot. @throws SourceError, its code in front of the message */
export function scanChunk(task: ScanTask): RangeScan {
  let file: FileSource | null = null
  try {
    file = new FileSource(task.file)
    return scanRange(file, task.range, task.lineLimit, slotScanner(task.slot))
  } catch (error) {
    throw portable(error)
  } finally {
    file?.close()
  }
}

export interface FilledTask {
  readonly slot: number
  /** Bytes of input the slot has room for. */
  readonly capacity: number
  /** Bytes of whole lines at `INPUT_AT`. */
  readonly bytes: number
  /** The last line feed is none of the input's own. */
  readonly cut: boolean
}

/** Scan what this thread's caller put into a slot. */
export function scanFilled(task: FilledTask): ScanFacts {
  const scanner = slotScanner(task.slot)
  scanner.reserve(task.capacity)
  scanner.scan(INPUT_AT, INPUT_AT + task.bytes)
  if (task.cut) scanner.flagCut()
  return scanner.facts()
}

export interface WriteTask {
  readonly slot: number
  readonly scan: ScanFacts
  readonly output: Handover
  /** Where the chunk's output goes; null leaves it at the slot's output region. */
  readonly place: { readonly part: string; readonly position: number } | null
  /** Make a member or frame of the output and give it back, instead of writing it. */
  readonly compress: Compression | null
}

/**
 * Copy the output of a chunk together, as it was listed, and write it at its place, or compress it.
 *
 * @throws OutputError as above
 */
export async function writeChunk(task: WriteTask): Promise<Uint8Array | null> {
  const scanner = slotScanner(task.slot)
  scanner.adopt(task.scan)
  const output = completeOutput(scanner, task.output)
  if (task.compress !== null && output.length > 0) return (await compressorFor(task.compress))(output)
  if (task.place === null) return null
  try {
    writePlaced(task.place.part, output, task.place.position)
  } catch (error) {
    throw portable(error)
  }
  return null
}

function slotScanner(slot: number): Scanner {
  const known = slots.get(slot)
  if (known !== undefined) return known
  const { module } = fromMain()
  const made = new Scanner({ memory: slotMemory(slot), ...(module === null ? {} : { module }) })
  slots.set(slot, made)
  return made
}
