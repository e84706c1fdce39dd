import { FileSource, type Source, type Trouble } from '../source/source.ts'
import { ChunkFiller } from './chunk-filler.ts'
import type { Pool } from './pool.ts'
import { planRanges, type RangeScan, scanRange } from './range.ts'
import { type Seat, seatedInOrder, type Seats } from './seats.ts'

/** The chunks of one large transcript, in order, each scanned into a seat by a worker. */
export interface ChunkFeed {
  scans(seats: Seats): AsyncGenerator<{ readonly seat: Seat; readonly outcome: RangeScan }, void, undefined>
  /** Bytes of the whole transcript; known after its last chunk, like `trouble`. */
  readonly bytes: number
  readonly trouble: Trouble | null
}

/** The chunks of a plain file: workers read a range each. @throws SourceError when it cannot be opened */
export function feedOfFile(file: string, pool: Pool, chunkBytes: number, lineLimit: number): ChunkFeed {
  const bytes = sizeOf(file)
  return {
    bytes,
    trouble: null,
    scans: (seats) =>
      seatedInOrder(seats, planRanges(bytes, chunkBytes), (range, { slot }) =>
        pool.scanChunk({ slot, file, range, lineLimit }),
      ),
  }
}

/**
 * The chunks of a plain file, read and scanned by this thread just before it goes over them, while they are in its caches.
 *
 * @throws SourceError when it cannot be opened
 */
export function feedOfThisThread(file: string, chunkBytes: number, lineLimit: number): ChunkFeed {
  const bytes = sizeOf(file)
  async function* scans(seats: Seats): ReturnType<ChunkFeed['scans']> {
    const source = new FileSource(file)
    try {
      for (const range of planRanges(bytes, chunkBytes)) {
        // What workers have done is heard in between.
        await new Promise(setImmediate)
        const seat = await seats.next()
        yield { seat, outcome: scanRange(source, range, lineLimit, seat.scanner) }
      }
    } finally {
      source.close()
    }
  }
  return { bytes, trouble: null, scans }
}

function sizeOf(file: string): number {
  const source = new FileSource(file)
  const { size } = source
  source.close()
  return size
}

/** Who fills seats knows the digest: nobody has to find these bytes in a file. */
const NOTHING = { start: 0, at: 0, length: 0 }

/** The chunks of what can only be read from its beginning to its end: this thread fills the seats, workers scan them. */
export class SourceFeed implements ChunkFeed {
  private readonly source: Source
  private readonly pool: Pool
  private readonly filler: ChunkFiller

  /** @param source stays open */
  constructor(source: Source, pool: Pool, chunkBytes: number, lineLimit: number) {
    this.source = source
    this.pool = pool
    this.filler = new ChunkFiller(source, chunkBytes, lineLimit)
  }

  get bytes(): number {
    return this.filler.bytes
  }

  get trouble(): Trouble | null {
    return this.source.trouble ?? null
  }

  scans(seats: Seats): AsyncGenerator<{ readonly seat: Seat; readonly outcome: RangeScan }, void, undefined> {
    let before: Promise<unknown> = Promise.resolve()
    return seatedInOrder(seats, this.whileOpen(), (_, { slot, scanner }) => {
      const filled = before.then(() => this.filler.fill(scanner))
      before = filled
      return filled.then(async ({ bytes, cut, oversize }) => {
        const task = { slot, capacity: scanner.inputCapacity, bytes, cut }
        const scan = await this.pool.scanFilled(task)
        return { scan, owned: NOTHING, oversize, noLineEnd: this.filler.noLineEnd }
      })
    })
  }

  /** One item for each chunk, and some that turn out to be behind the last. */
  private *whileOpen(): Generator<null, void, undefined> {
    while (!this.filler.isOver) yield null
  }
}
