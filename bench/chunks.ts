import { INPUT_AT, Scanner } from '../src/kernel/scanner.ts'
import { chunksOf } from './lines.ts'

/**
 * Lines that stand in a scanner's memory, where the pipeline's reads put them, cut into chunks. Each chunk is scanned
 * where it stands; its tape takes the place of the one before.
 */
export class Chunks {
  readonly scanner = new Scanner()
  private readonly spans: ReturnType<typeof chunksOf>

  constructor(lines: Buffer) {
    const { scanner } = this
    scanner.reserve(lines.length)
    lines.copy(scanner.buffer, INPUT_AT)
    this.spans = chunksOf(lines)
  }

  /** Scan chunk after chunk; `then` may read the tape of each. */
  scan(then?: (scanner: Scanner) => void): void {
    const { scanner } = this
    for (const { start, end } of this.spans) {
      scanner.scan(INPUT_AT + start, INPUT_AT + end)
      then?.(scanner)
    }
  }
}
