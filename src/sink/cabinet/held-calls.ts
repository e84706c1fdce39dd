import { type Step, weightOf } from './step.ts'

/** Bytes of calls without a result that are held, roughly. */
const HELD_BYTES = 8 * 1024 * 1024
/** What a call weighs beside its steps: its place in the map, its time. */
const CALL_BYTES = 256

/** A call that waits for its result. Plain data: its record has gone. */
export interface HeldCall {
  readonly id: string
  /** Empty when nothing is to be written any more, and the result only closes the call. */
  readonly steps: readonly Step[]
  /** Time of the call as JSON string or as text; null when it had none. */
  readonly at: string | null
}

/** One that is held, between the calls that were made before and after it. */
interface Waiting extends HeldCall {
  readonly bytes: number
  earlier: Waiting | null
  later: Waiting | null
  /** The next call of the same id, and, of the oldest of that id, the last one; null without any. */
  namesake: Waiting | null
  lastNamesake: Waiting | null
}

/**
 * Calls without a result, in the order in which they were made. Of calls with the same id the first is answered first.
 * Bounded: when there is too much to hold, the oldest calls are given back.
 */
export class HeldCalls {
  /** By id the oldest call of it. */
  private readonly byId = new Map<string, Waiting>()
  private oldest: Waiting | null = null
  private latest: Waiting | null = null
  private bytes = 0

  /** Hold a call. Returns the calls for which there is no room any more, oldest first. */
  hold(id: string, steps: readonly Step[], at: string | null): readonly HeldCall[] {
    let bytes = CALL_BYTES + 2 * id.length
    for (const step of steps) bytes += weightOf(step)
    this.append({
      id,
      steps,
      at,
      bytes,
      earlier: this.latest,
      later: null,
      namesake: null,
      lastNamesake: null,
    })
    if (this.bytes <= HELD_BYTES) return NONE_DROPPED
    const dropped: HeldCall[] = []
    while (this.bytes > HELD_BYTES && this.oldest !== null) {
      dropped.push(this.oldest)
      this.remove(this.oldest)
    }
    return dropped
  }

  /** The oldest call of this id, which is no longer held; null when none is waiting. */
  take(id: string): HeldCall | null {
    const call = this.byId.get(id)
    if (call === undefined) return null
    this.remove(call)
    return call
  }

  /** All that is still held, in the order in which it was called. */
  takeAll(): HeldCall[] {
    const all: HeldCall[] = []
    for (let call = this.oldest; call !== null; call = call.later) all.push(call)
    this.byId.clear()
    this.oldest = this.latest = null
    this.bytes = 0
    return all
  }

  private append(call: Waiting): void {
    if (this.latest === null) this.oldest = call
    else this.latest.later = call
    this.latest = call
    this.bytes += call.bytes
    const first = this.byId.get(call.id)
    if (first === undefined) {
      this.byId.set(call.id, call)
      return
    }
    const last = first.lastNamesake ?? first
    last.namesake = call
    first.lastNamesake = call
  }

  /** @param call the oldest of its id */
  private remove(call: Waiting): void {
    const { earlier, later, namesake, lastNamesake } = call
    if (earlier === null) this.oldest = later
    else earlier.later = later
    if (later === null) this.latest = earlier
    else later.earlier = earlier
    if (namesake === null) {
      this.byId.delete(call.id)
    } else {
      this.byId.set(call.id, namesake)
      namesake.lastNamesake = namesake === lastNamesake ? null : lastNamesake
    }
    this.bytes -= call.bytes
  }
}

const NONE_DROPPED: readonly HeldCall[] = []
