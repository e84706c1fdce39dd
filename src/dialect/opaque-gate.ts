import type { Billed, Settled } from '../event/billing.ts'
import type * as E from '../event/events.ts'
import type { Bin, Sink } from '../event/sink.ts'
import type { RecordView } from '../kernel/record.ts'

/**
 * A sink in front of another that keeps back the opaque event of a whole record, until it is known whether the record is
 * really opaque. Everything else goes through.
 */
export class OpaqueGate implements Sink {
  readonly takesTalk: boolean
  readonly takesBills: boolean
  readonly sink: Sink
  held: E.Opaque | null = null

  constructor(sink: Sink) {
    this.takesTalk = sink.takesTalk
    this.takesBills = sink.takesBills
    this.sink = sink
  }

  /** The record is opaque: let its event through. */
  release(): void {
    const { held } = this
    this.held = null
    if (held !== null) this.sink.opaque(held)
  }

  /** The record is another's. */
  drop(): void {
    this.held = null
  }

  record(record: RecordView): void {
    this.sink.record(record)
  }
  file(record: RecordView, bin: Bin): void {
    this.sink.file(record, bin)
  }
  sessionStarted(event: E.SessionStarted): void {
    this.sink.sessionStarted(event)
  }
  sessionEnded(event: E.SessionEnded): void {
    this.sink.sessionEnded(event)
  }
  stepEntered(event: E.StepEntered): void {
    this.sink.stepEntered(event)
  }
  stepLeft(event: E.StepLeft): void {
    this.sink.stepLeft(event)
  }
  turnStarted(event: E.TurnStarted): void {
    this.sink.turnStarted(event)
  }
  turnEnded(event: E.TurnEnded): void {
    this.sink.turnEnded(event)
  }
  text(event: E.Said): void {
    this.sink.text(event)
  }
  thinking(event: E.Said): void {
    this.sink.thinking(event)
  }
  thinkingEstimate(event: E.ThinkingEstimate): void {
    this.sink.thinkingEstimate(event)
  }
  injection(event: E.Injection): void {
    this.sink.injection(event)
  }
  toolRequested(event: E.ToolRequested): void {
    this.sink.toolRequested(event)
  }
  toolDecided(event: E.ToolDecided): void {
    this.sink.toolDecided(event)
  }
  toolResult(event: E.ToolResult): void {
    this.sink.toolResult(event)
  }
  usage(event: E.Usage): void {
    this.sink.usage(event)
  }
  rateLimit(event: E.RateLimit): void {
    this.sink.rateLimit(event)
  }
  commandResult(event: E.CommandResult): void {
    this.sink.commandResult(event)
  }
  warning(event: E.Warning): void {
    this.sink.warning(event)
  }
  opaque(event: E.Opaque): void {
    if (event.block === undefined && event.digest === undefined && this.held === null) this.held = event
    else this.sink.opaque(event)
  }
  authExpired(event: E.AuthExpired): void {
    this.sink.authExpired(event)
  }
  streamClosed(event: E.StreamClosed): void {
    this.sink.streamClosed(event)
  }
  system(event: E.SystemStage): void {
    this.sink.system(event)
  }
  billed(entry: Billed): void {
    this.sink.billed(entry)
  }
  settled(total: Settled): void {
    this.sink.settled(total)
  }
  notice(code: string, line: number | null, message: string): void {
    this.sink.notice(code, line, message)
  }
}
