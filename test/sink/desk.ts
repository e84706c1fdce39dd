import { Bin } from '../../src/event/sink.ts'
import { key } from '../../src/kernel/key.ts'
import type { Node } from '../../src/kernel/record.ts'
import { Scanner } from '../../src/kernel/scanner.ts'
import { MetaharnessWriter, type WriterOptions } from '../../src/sink/metaharness-writer.ts'
import { Splice } from '../../src/sink/splice.ts'
import { readStrictly, type StrictEvent } from '../strict-reader.ts'

type Noted = [code: string, line: number | null, message: string]

/** A writer set on the records of `input`, and what it wrote. */
export class Desk {
  readonly scanner = new Scanner()
  readonly notices: Noted[] = []
  readonly splice = new Splice(this.scanner)
  readonly writer: MetaharnessWriter

  constructor(input: string | Uint8Array = '{}\n', options: Partial<WriterOptions> = {}) {
    this.scanner.scanBytes(typeof input === 'string' ? Buffer.from(input) : input)
    this.writer = new MetaharnessWriter(this.splice, this.scanner.view, {
      run: 'r1',
      path: 'a/b.jsonl',
      provenance: false,
      opaqueAll: false,
      notice: (...noted) => this.notices.push(noted),
      ...options,
    })
    this.record(0)
  }

  /** Go to a record, as the reader of a transcript does. */
  record(index: number): void {
    this.writer.record(this.scanner.select(index, 1))
  }

  file(bin: Bin = Bin.Translated): void {
    this.writer.file(this.scanner.view, bin)
  }

  node(name: string): Node {
    const { view } = this.scanner
    return view.get(view.root, key(name))
  }

  get text(): string {
    return this.splice.output().toString()
  }

  /** Everything, read strictly; the stream is closed when it is not yet. */
  close(): StrictEvent[] {
    this.writer.streamClosed({ reason: 'completed' })
    return readStrictly(Buffer.from(this.splice.output()))
  }
}
