import { createHash } from 'node:crypto'
import { closeSync, mkdtempSync, openSync, rmdirSync, unlinkSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { NONE } from '../kernel/record.ts'
import { Scanner } from '../kernel/scanner.ts'
import { TraceProjection } from '../report/trace-ir.ts'
import { FileSource } from '../source/source.ts'
import { CHUNK_BYTES, ChunkReader, LINE_LIMIT } from './chunk-reader.ts'
import type { Output } from './output.ts'
import { OutputError } from './output-error.ts'

/**
 * Takes a stream of events and gives the `trace-ir/1` document it projects to. The document begins with the digest of the
 * stream, so the stream is put by in a file until it is whole.
 */
export class TraceOutput {
  private readonly inner: Output
  private readonly source: string
  private readonly hash = createHash('sha256')
  private readonly spool: string
  private readonly fd: number

  /** @param source path of the stream, for the document */
  constructor(inner: Output, source: string) {
    this.inner = inner
    this.source = source
    this.spool = join(mkdtempSync(join(tmpdir(), 'millrace-trace-')), 'events.jsonl')
    this.fd = openSync(this.spool, 'w')
  }

  write(bytes: Uint8Array): void {
    this.hash.update(bytes)
    OutputError.guard(this.spool, () => {
      for (let done = 0; done < bytes.length;) done += writeSync(this.fd, bytes, done)
    })
  }

  /** Write the document. @param digest of the stream, where it is not that of what was written here. @throws OutputError */
  async project(digest: string | null): Promise<void> {
    const source = new FileSource(this.spool)
    try {
      const scanner = new Scanner()
      const options = { chunkBytes: CHUNK_BYTES, lineLimit: LINE_LIMIT, digest: false }
      const reader = new ChunkReader(source, scanner, options)
      const projection = new TraceProjection()
      this.put(projection.head(digest ?? this.hash.digest('hex')))
      let line = 1
      while (await reader.next()) {
        for (let i = 0; i < scanner.recordCount; i++) {
          const record = scanner.select(i, line)
          if (record.root !== NONE) this.put(projection.node(record, record.line))
        }
        line += scanner.lineCount
      }
      this.put(projection.tail(this.source))
    } finally {
      source.close()
    }
  }

  /** Leave no spool behind. */
  close(): void {
    closeSync(this.fd)
    unlinkSync(this.spool)
    rmdirSync(dirname(this.spool))
  }

  private put(text: string): void {
    this.inner.write(Buffer.from(text))
  }
}
