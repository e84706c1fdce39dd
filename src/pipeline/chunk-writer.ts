import type { ScanFacts, Scanner } from '../kernel/scanner.ts'
import { Splice } from '../sink/splice.ts'
import { CompressedOutput } from './compressed-output.ts'
import type { EventWriter, MakeWriter } from './event-writer.ts'
import type { Lanes } from './lanes.ts'
import type { Output, PlacedOutput } from './output.ts'
import type { Pool } from './pool.ts'
import type { Seat } from './seats.ts'

/**
 * The output side of a large transcript: events are listed chunk by chunk in the slot they come from, and workers copy
 * and write what was listed while this thread goes on. A stream gets the chunks in order.
 */
export class ChunkWriter {
  readonly writer: EventWriter
  private readonly pool: Pool
  private readonly placed: PlacedOutput | null
  private readonly stream: Output | null
  private readonly lanes: Lanes | null
  /** Where the tail is written from, which no slot holds. */
  private readonly tail: Splice
  private readonly splices = new Map<number, Splice>()
  private current: Splice
  private position = 0
  /** The last write to the file: the system lets one thread at a time write to it, and the others burn time waiting. */
  private placing: Promise<unknown> = Promise.resolve()
  private written: Promise<void> = Promise.resolve()
  /** Settled when no worker writes any more. */
  private settled: Promise<unknown> = Promise.resolve()
  private failure: unknown = null

  constructor(
    pool: Pool,
    placed: PlacedOutput | null,
    stream: Output | null,
    lanes: Lanes | null,
    scanner: Scanner,
    make: MakeWriter,
  ) {
    this.pool = pool
    this.placed = placed
    this.stream = stream
    this.lanes = lanes
    this.tail = new Splice(scanner)
    this.current = this.tail
    this.writer = make(this.tail, scanner.view)
  }

  /** The next events come from this seat's chunk. @throws OutputError when an earlier chunk could not be written */
  begin(seat: Seat): void {
    if (this.failure !== null) throw this.failure
    let splice = this.splices.get(seat.slot)
    if (splice === undefined) {
      splice = new Splice(seat.scanner)
      this.splices.set(seat.slot, splice)
    }
    splice.reset()
    this.current = splice
    this.writer.continueIn(splice)
  }

  /** The chunk is translated: have it written, then call `release`, also when it could not be. */
  end(seat: Seat, scan: ScanFacts, release: () => void): void {
    const output = this.current.handOver()
    const start = this.position
    this.position += output.length
    const place = this.placed === null ? null : { part: this.placed.part, position: start }
    const compress = this.stream instanceof CompressedOutput ? this.stream.compression : null
    const write = () => this.pool.writeChunk({ slot: seat.slot, scan, output, place, compress })
    const copied = place === null ? write() : this.placing.then(write)
    this.placing = copied.catch(() => null) // seen again, and thrown, when its turn comes
    this.written = this.inOrder(this.written, copied, seat, output.length)
    this.written.catch((error: unknown) => {
      this.failure ??= error
    })
    const hashed = this.written.then(() => this.lanes?.wrote(seat.slot, seat.scanner.outputAt, output.length))
    this.settled = Promise.allSettled([this.settled, this.written, copied, hashed]).then(release)
  }

  private async inOrder(
    before: Promise<void>,
    copied: Promise<Uint8Array | null>,
    seat: Seat,
    length: number,
  ): Promise<void> {
    await before
    const member = await copied
    const { stream } = this
    if (this.placed === null && stream !== null) {
      const plain = seat.scanner.output(length)
      if (member !== null && stream instanceof CompressedOutput) stream.writeMember(member, plain)
      else stream.write(plain)
    }
  }

  /** What is written now stands behind the last chunk. */
  beginTail(): void {
    this.tail.reset()
    this.current = this.tail
    this.writer.continueIn(this.tail)
  }

  /** Write the tail behind everything else. Returns the bytes of the whole output. @throws OutputError */
  async finish(): Promise<number> {
    await this.written
    const bytes = this.tail.output()
    if (this.placed !== null) this.placed.writeAt(bytes, this.position)
    else this.stream?.write(bytes)
    this.lanes?.wroteTail(this.position, this.position + bytes.length)
    return this.position + bytes.length
  }

  /** Wait until no worker writes any more, whatever came of it. */
  async settle(): Promise<void> {
    await this.settled
  }
}
