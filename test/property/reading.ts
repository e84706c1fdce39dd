import type { Scanner } from '../../src/kernel/scanner.ts'
import type { Source } from '../../src/source/source.ts'
import { sha256 } from '../digest.ts'

/** What reading gave, in words: each record with its line, flags and bytes; lines over the limit; then the totals. */
export type Reading = readonly string[]

/** Adds what one scan after the other gave. */
export class ReadingLog {
  readonly entries: string[] = []
  private line = 1
  private blank = 0

  scan(from: Scanner): void {
    for (let i = 0; i < from.recordCount; i++) {
      const { line, flags, bytes, start, end, root } = from.select(i, this.line)
      this.entries.push(`${line} ${flags} ${root === 0} ${bytes.latin1Slice(start, end)}`)
    }
    this.line += from.lineCount
    this.blank += from.blankCount
  }

  oversize({ digest, bytes }: { readonly digest: string; readonly bytes: number }): void {
    this.entries.push(`${this.line} oversize ${bytes} ${digest}`)
    this.line++
  }

  finish(noLineEnd: boolean): Reading {
    return [...this.entries, `${this.line - 1} lines, ${this.blank} blank, cut ${noLineEnd}`]
  }
}

/** More than any line here has. */
export const NO_LIMIT = 1 << 28

/** Line by line, each scanned by itself: nothing can depend on what stands around it. */
export function lineByLine(scanner: Scanner, input: Buffer, lineLimit: number): Reading {
  const log = new ReadingLog()
  let from = 0
  let isCut = false
  while (from < input.length) {
    const feed = input.indexOf(0x0a, from)
    const end = feed < 0 ? input.length : feed
    isCut = feed < 0
    const line = input.subarray(from, end)
    if (line.length > lineLimit) {
      const kept = line.at(-1) === 0x0d ? line.subarray(0, -1) : line
      log.oversize({ digest: sha256(kept), bytes: kept.length })
    } else {
      scanner.scanBytes(isCut ? line : input.subarray(from, end + 1))
      log.scan(scanner)
    }
    from = end + 1
  }
  return log.finish(isCut)
}

/** Gives its bytes in portions of its own, now and then later. */
export class Portions implements Source {
  private position = 0
  private readonly input: Buffer
  private readonly most: number
  private readonly waits: boolean

  constructor(input: Buffer, most: number, waits: boolean) {
    this.input = input
    this.most = most
    this.waits = waits
  }

  read(into: Uint8Array, at: number, length: number): number | Promise<number> {
    const part = this.input.subarray(this.position, this.position + Math.min(length, this.most))
    into.set(part, at)
    this.position += part.length
    return this.waits ? Promise.resolve(part.length) : part.length
  }

  close(): void {}
}
