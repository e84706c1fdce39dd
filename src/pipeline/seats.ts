import type { Scanner } from '../kernel/scanner.ts'

/** A slot, by its number, and this thread's view of what a worker scans in it. */
export interface Seat {
  readonly slot: number
  readonly scanner: Scanner
}

/** The slots of one large transcript. Their number bounds its memory: who finds none free waits. */
export class Seats {
  private readonly free: Seat[]
  private waiting: (() => void) | null = null

  constructor(slots: readonly Scanner[]) {
    this.free = slots.map((scanner, slot) => ({ slot, scanner }))
  }

  take(): Seat | null {
    return this.free.pop() ?? null
  }

  /** A free seat, as soon as there is one. For one caller at a time. */
  async next(): Promise<Seat> {
    for (;;) {
      const seat = this.take()
      if (seat !== null) return seat
      await new Promise<void>((resolve) => this.onRelease(resolve))
    }
  }

  release(seat: Seat): void {
    this.free.push(seat)
    this.waiting?.()
  }

  /** Call `wake` whenever a seat is released. */
  onRelease(wake: () => void): void {
    this.waiting = wake
  }
}

/**
 * Run `work` for each of `items` with a seat of its own, as many at a time as there are seats, and yield the outcomes in
 * the order of `items`. The consumer releases the seats, in its own time.
 *
 * Errors: the first rejection, in item order, is thrown to the consumer.
 */
export async function* seatedInOrder<T, R>(
  seats: Seats,
  items: Iterable<T>,
  work: (item: T, seat: Seat) => Promise<R>,
): AsyncGenerator<{ readonly seat: Seat; readonly outcome: R }, void, undefined> {
  const inFlight: Promise<{ readonly seat: Seat; readonly outcome: R }>[] = []
  const coming = items[Symbol.iterator]()
  let isOver = false
  let wake: (() => void) | null = null
  const topUp = (): void => {
    while (!isOver) {
      const seat = seats.take()
      if (seat === null) break
      const item = coming.next()
      if (item.done === true) {
        isOver = true
        seats.release(seat)
        break
      }
      const result = work(item.value, seat).then((outcome) => ({ seat, outcome }))
      result.catch(() => {}) // seen again, and thrown, when its turn comes
      inFlight.push(result)
    }
    wake?.()
  }
  seats.onRelease(topUp)
  topUp()
  try {
    for (;;) {
      const head = inFlight.shift()
      if (head !== undefined) {
        yield await head
      } else if (isOver) {
        return
      } else {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
        wake = null
      }
    }
  } finally {
    // Nobody may still be at work in a slot when its next user comes.
    seats.onRelease(() => {})
    await Promise.allSettled(inFlight)
  }
}
