import { closeSync, openSync, readFileSync, readSync } from 'node:fs'
import type { BenchCorpus } from './corpora.ts'

const LINE_FEED = 0x0a

/** Bytes of a chunk, as in the pipeline. */
const CHUNK_BYTES = 1024 * 1024

/** More of a corpus is not held in memory. */
const MOST_BYTES = 64 * 1024 * 1024

/** The whole lines of a corpus, file by file, as many as fit. */
export function readLines(corpus: BenchCorpus): Buffer {
  const parts: Buffer[] = []
  let room = MOST_BYTES
  for (const { path } of corpus.files) {
    const bytes = readFileSync(path).subarray(0, room)
    const whole = bytes.subarray(0, bytes.lastIndexOf(LINE_FEED) + 1)
    parts.push(whole)
    room -= whole.length
    if (room === 0) break
  }
  const lines = Buffer.concat(parts)
  if (lines.length === 0) throw new Error(`${corpus.path} has no whole line within its first 64 MiB`)
  return lines
}

/** Cut whole lines into chunks of whole lines: the last line feed within the size, or the end of one longer line. */
export function chunksOf(lines: Buffer): { readonly start: number; readonly end: number }[] {
  const chunks: { start: number; end: number }[] = []
  for (let start = 0; start < lines.length;) {
    const within = lines.subarray(start, start + CHUNK_BYTES).lastIndexOf(LINE_FEED) + 1
    const end = within > 0 ? start + within : lines.indexOf(LINE_FEED, start) + 1
    chunks.push({ start, end })
    start = end
  }
  return chunks
}

/** Hand out every line that is not empty, decoded, its line end left out. */
export function eachLine(lines: Buffer, read: (text: string) => void): void {
  for (let start = 0; start < lines.length;) {
    const feed = lines.indexOf(LINE_FEED, start)
    const end = feed < 0 ? lines.length : feed
    if (end > start) read(lines.utf8Slice(start, end))
    start = end + 1
  }
}

/** As `eachLine`, for a file that is read in pieces of the size of a chunk; `read` gets the text of one line. */
export function eachLineOf(path: string, read: (text: string) => void, onPiece?: () => void): void {
  const fd = openSync(path, 'r')
  let buffer = Buffer.allocUnsafe(2 * CHUNK_BYTES)
  let kept = 0
  try {
    for (;;) {
      if (buffer.length - kept < CHUNK_BYTES) buffer = Buffer.concat([buffer], buffer.length * 2)
      const got = readSync(fd, buffer, kept, CHUNK_BYTES, null)
      const filled = kept + got
      const end = got === 0 ? filled : buffer.subarray(0, filled).lastIndexOf(LINE_FEED) + 1
      eachLine(buffer.subarray(0, end), read)
      onPiece?.()
      if (got === 0) return
      buffer.copyWithin(0, end, filled)
      kept = filled - end
    }
  } finally {
    closeSync(fd)
  }
}

/** Count what `JSON.parse` makes of lines: those with something in them, and of those the ones that are not JSON. */
export function parseAll(lines: Buffer): { readonly records: number; readonly unparsed: number } {
  let records = 0
  let unparsed = 0
  eachLine(lines, (text) => {
    if (isBlank(text)) return
    records++
    try {
      JSON.parse(text)
    } catch {
      unparsed++
    }
  })
  return { records, unparsed }
}

/** Only white space; told by the first character for nearly all lines. */
function isBlank(text: string): boolean {
  return text.charCodeAt(0) <= 0x20 && text.trim() === ''
}
