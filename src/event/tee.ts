import type { RecordView } from '../kernel/record.ts'
import type { Billed, Settled } from './billing.ts'
import type * as E from './events.ts'
import type { Bin, Sink } from './sink.ts'

/** One sink that passes everything on to several, in order. */
export function tee(sinks: readonly Sink[]): Sink {
  const [only] = sinks
  return sinks.length === 1 && only !== undefined ? only : new Tee(sinks)
}

class Tee implements Sink {
  private readonly sinks: readonly Sink[]

  constructor(sinks: readonly Sink[]) {
    this.sinks = sinks
  }

  record(record: RecordView): void {
    for (const sink of this.sinks) sink.record(record)
  }
  file(record: RecordView, bin: Bin): void {
    for (const sink of this.sinks) sink.file(record, bin)
  }
  sessionStarted(event: E.SessionStarted): void {
    for (const sink of this.sinks) sink.sessionStarted(event)
  }
  sessionEnded(event: E.SessionEnded): void {
    for (const sink of this.sinks) sink.sessionEnded(event)
  }
  stepEntered(event: E.StepEntered): void {
    for (const sink of this.sinks) sink.stepEntered(event)
  }
  stepLeft(event: E.StepLeft): void {
    for (const sink of this.sinks) sink.stepLeft(event)
  }
  turnStarted(event: E.TurnStarted): void {
    for (const sink of this.sinks) sink.turnStarted(event)
  }
  turnEnded(event: E.TurnEnded): void {
    for (const sink of this.sinks) sink.turnEnded(event)
  }
  text(event: E.Said): void {
    for (const sink of this.sinks) sink.text(event)
  }
  thinking(event: E.Said): void {
    for (const sink of this.sinks) sink.thinking(event)
  }
  thinkingEstimate(event: E.ThinkingEstimate): void {
    for (const sink of this.sinks) sink.thinkingEstimate(event)
  }
  injection(event: E.Injection): void {
    for (const sink of this.sinks) sink.injection(event)
  }
  toolRequested(event: E.ToolRequested): void {
    for (const sink of this.sinks) sink.toolRequested(event)
  }
  toolDecided(event: E.ToolDecided): void {
    for (const sink of this.sinks) sink.toolDecided(event)
  }
  toolResult(event: E.ToolResult): void {
    for (const sink of this.sinks) sink.toolResult(event)
  }
  usage(event: E.Usage): void {
    for (const sink of this.sinks) sink.usage(event)
  }
  rateLimit(event: E.RateLimit): void {
    for (const sink of this.sinks) sink.rateLimit(event)
  }
  commandResult(event: E.CommandResult): void {
    for (const sink of this.sinks) sink.commandResult(event)
  }
  warning(event: E.Warning): void {
    for (const sink of this.sinks) sink.warning(event)
  }
  opaque(event: E.Opaque): void {
    for (const sink of this.sinks) sink.opaque(event)
  }
  authExpired(event: E.AuthExpired): void {
    for (const sink of this.sinks) sink.authExpired(event)
  }
  streamClosed(event: E.StreamClosed): void {
    for (const sink of this.sinks) sink.streamClosed(event)
  }
  billed(entry: Billed): void {
    for (const sink of this.sinks) sink.billed(entry)
  }
  settled(total: Settled): void {
    for (const sink of this.sinks) sink.settled(total)
  }
  notice(code: string, line: number | null, message: string): void {
    for (const sink of this.sinks) sink.notice(code, line, message)
  }
}
