import { type Step, weightOf } from './step.ts'

/** Bytes of calls without a result that are held, roughly. */
const HELD_BYTES = 8 * 1024 * 1024
/** What a call weighs beside its steps: its place in the maps, its time. */
const CALL_BYTES = 256

/** A call that waits for its result. Plain data: its record has gone. */
export interface HeldCall {
  readonly id: string
  /** Empty when nothing is to be written any more, and the result only closes the call. */
  readonly steps: readonly Step[]
  /** Time of the call as JSON string or as text; null when it had none. */
  readonly at: string | null
  readonly bytes: number
}

/**
 * Calls without a result, in the order in which they were made. Of calls with the same id the first is answered first.
 * Bounded: when there is too much to hold, the oldest calls are given back.
 */
export class HeldCalls {
  private readonly calls = new Map<number, HeldCall>()
  /** Numbers of the calls of each id, oldest first. */
  private readonly byId = new Map<string, number[]>()
  private made = 0
  private bytes = 0

  /** Hold a call. Returns the calls for which there is no room any more, oldest first. */
  hold(id: string, steps: readonly Step[], at: string | null): HeldCall[] {
    const bytes = CALL_BYTES + 2 * id.length + steps.reduce((sum, step) => sum + weightOf(step), 0)
    const number = this.made++
    this.calls.set(number, { id, steps, at, bytes })
    this.bytes += bytes
    const numbers = this.byId.get(id)
    if (numbers === undefined) this.byId.set(id, [number])
    else numbers.push(number)
    const dropped: HeldCall[] = []
    while (this.bytes > HELD_BYTES) {
      const oldest = this.takeOldest()
      if (oldest === null) break
      dropped.push(oldest)
    }
    return dropped
  }

  /** The oldest call of this id, which is no longer held; null when none is waiting. */
  take(id: string): HeldCall | null {
    const numbers = this.byId.get(id)
    const number = numbers?.shift()
    if (numbers === undefined || number === undefined) return null
    if (numbers.length === 0) this.byId.delete(id)
    return this.remove(number)
  }

  /** All that is still held, in the order in which it was called. */
  takeAll(): HeldCall[] {
    const all = [...this.calls.values()]
    this.calls.clear()
    this.byId.clear()
    this.bytes = 0
    return all
  }

  private takeOldest(): HeldCall | null {
    for (const { id } of this.calls.values()) return this.take(id)
    return null
  }

  private remove(number: number): HeldCall | null {
    const call = this.calls.get(number)
    if (call === undefined) return null
    this.calls.delete(number)
    this.bytes -= call.bytes
    return call
  }
}
