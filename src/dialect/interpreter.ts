import { Bin, type Sink } from '../event/sink.ts'
import type { RecordView } from '../kernel/record.ts'
import type { Adapter, AdapterContext, Ending } from './adapter.ts'
import { OpaqueGate } from './opaque-gate.ts'
import type { Dialects } from './registry.ts'

/** Records that no dialect claims, after which a transcript is no longer asked about: it is simply not ours. */
const MOST_QUESTIONS = 10_000

interface Running {
  readonly adapter: Adapter<unknown>
  readonly state: unknown
}

/**
 * The adapter of a transcript, and others where it changes its dialect in the middle (design §5.2): a record that the
 * current dialect neither understands nor claims, and that proves another, goes to the other's adapter, and so do those
 * after it. Each dialect keeps its state, so that a capture of two programs can go back and forth.
 */
export class Interpreter {
  private current: Running
  private readonly running = new Map<string, Running>()
  private readonly context: AdapterContext
  private readonly dialects: Dialects | null
  private questions = 0
  private gate: OpaqueGate | null = null

  /** @param dialects those to change to; null keeps to the first whatever comes */
  constructor(first: Adapter<unknown>, context: AdapterContext, dialects: Dialects | null) {
    this.context = context
    this.dialects = dialects
    this.current = this.start(first)
  }

  /** As `Adapter.step`, by the adapter whose record it is. */
  step(record: RecordView, sink: Sink): Bin {
    if (this.dialects === null) return this.current.adapter.step(record, this.current.state, sink)
    const gate = this.gateTo(sink)
    const bin = this.current.adapter.step(record, this.current.state, gate)
    if (gate.held === null) return bin
    const other = bin === Bin.Opaque ? this.otherFor(record) : null
    if (other === null) {
      gate.release()
      return bin
    }
    gate.drop()
    const { dialect } = this.current.adapter
    sink.notice('dialect-changed', record.line, `the transcript goes on as ${other.dialect} after ${dialect}`)
    this.current = this.running.get(other.dialect) ?? this.start(other)
    return this.current.adapter.step(record, this.current.state, sink)
  }

  /** As `Adapter.leave`, for all dialects that came. */
  leave(record: RecordView): void {
    for (const { adapter, state } of this.running.values()) adapter.leave?.(record, state)
  }

  /** As `Adapter.end`, for all dialects that came; the last one says how the transcript ended. */
  end(sink: Sink): Ending {
    const last = this.current
    for (const one of this.running.values()) if (one !== last) one.adapter.end(one.state, sink)
    return last.adapter.end(last.state, sink)
  }

  /**
   * How the transcript would end here. The state stays as it is: a copy is ended, so that this is for now and then, not for
   * every record.
   *
   * @param sink gets what the end would write
   */
  endingSoFar(sink: Sink): Ending {
    const { adapter, state } = this.current
    return adapter.end(structuredClone(state), sink)
  }

  /** As `endingSoFar`, with one record more. */
  endingAfter(record: RecordView, sink: Sink): Ending {
    const { adapter, state } = this.current
    const copy: unknown = structuredClone(state)
    adapter.step(record, copy, sink)
    return adapter.end(copy, sink)
  }

  private start(adapter: Adapter<unknown>): Running {
    const started = { adapter, state: adapter.initial(this.context) }
    this.running.set(adapter.dialect, started)
    return started
  }

  private otherFor(record: RecordView): Adapter<unknown> | null {
    const { adapter } = this.current
    if (this.dialects === null || this.questions >= MOST_QUESTIONS) return null
    if (adapter.evidence(record, record.root) !== null) return null
    const other = this.dialects.adapters.find(
      (candidate) => candidate !== adapter && candidate.evidence(record, record.root)?.weight === 'proof',
    )
    if (other === undefined) this.questions++
    return other ?? null
  }

  private gateTo(sink: Sink): OpaqueGate {
    if (this.gate === null || this.gate.sink !== sink) this.gate = new OpaqueGate(sink)
    return this.gate
  }
}
