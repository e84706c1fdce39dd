import type { RecordView } from '../kernel/record.ts'
import type { Billed, Settled } from './billing.ts'
import type * as E from './events.ts'
import type { Bin, Sink } from './sink.ts'

/** One sink that passes everything on to several, in order. @param sinks at least one */
export function tee(sinks: readonly [Sink, ...Sink[]]): Sink {
  const [first, second, ...more] = sinks
  return second === undefined ? first : new Pair(first, tee([second, ...more]))
}

/** Two sinks in a row. Pairs of pairs and not a list: each call site then has few targets and no loop. */
class Pair implements Sink {
  readonly takesTalk: boolean
  readonly takesBills: boolean
  private readonly one: Sink
  private readonly other: Sink

  constructor(one: Sink, other: Sink) {
    this.takesTalk = one.takesTalk || other.takesTalk
    this.takesBills = one.takesBills || other.takesBills
    this.one = one
    this.other = other
  }

  record(record: RecordView): void {
    this.one.record(record)
    this.other.record(record)
  }
  file(record: RecordView, bin: Bin): void {
    this.one.file(record, bin)
    this.other.file(record, bin)
  }
  sessionStarted(event: E.SessionStarted): void {
    this.one.sessionStarted(event)
    this.other.sessionStarted(event)
  }
  sessionEnded(event: E.SessionEnded): void {
    this.one.sessionEnded(event)
    this.other.sessionEnded(event)
  }
  stepEntered(event: E.StepEntered): void {
    this.one.stepEntered(event)
    this.other.stepEntered(event)
  }
  stepLeft(event: E.StepLeft): void {
    this.one.stepLeft(event)
    this.other.stepLeft(event)
  }
  turnStarted(event: E.TurnStarted): void {
    this.one.turnStarted(event)
    this.other.turnStarted(event)
  }
  turnEnded(event: E.TurnEnded): void {
    this.one.turnEnded(event)
    this.other.turnEnded(event)
  }
  text(event: E.Said): void {
    this.one.text(event)
    this.other.text(event)
  }
  thinking(event: E.Said): void {
    this.one.thinking(event)
    this.other.thinking(event)
  }
  thinkingEstimate(event: E.ThinkingEstimate): void {
    this.one.thinkingEstimate(event)
    this.other.thinkingEstimate(event)
  }
  injection(event: E.Injection): void {
    this.one.injection(event)
    this.other.injection(event)
  }
  toolRequested(event: E.ToolRequested): void {
    this.one.toolRequested(event)
    this.other.toolRequested(event)
  }
  toolDecided(event: E.ToolDecided): void {
    this.one.toolDecided(event)
    this.other.toolDecided(event)
  }
  toolResult(event: E.ToolResult): void {
    this.one.toolResult(event)
    this.other.toolResult(event)
  }
  usage(event: E.Usage): void {
    this.one.usage(event)
    this.other.usage(event)
  }
  rateLimit(event: E.RateLimit): void {
    this.one.rateLimit(event)
    this.other.rateLimit(event)
  }
  commandResult(event: E.CommandResult): void {
    this.one.commandResult(event)
    this.other.commandResult(event)
  }
  warning(event: E.Warning): void {
    this.one.warning(event)
    this.other.warning(event)
  }
  opaque(event: E.Opaque): void {
    this.one.opaque(event)
    this.other.opaque(event)
  }
  authExpired(event: E.AuthExpired): void {
    this.one.authExpired(event)
    this.other.authExpired(event)
  }
  streamClosed(event: E.StreamClosed): void {
    this.one.streamClosed(event)
    this.other.streamClosed(event)
  }
  system(event: E.SystemStage): void {
    this.one.system(event)
    this.other.system(event)
  }
  billed(entry: Billed): void {
    this.one.billed(entry)
    this.other.billed(entry)
  }
  settled(total: Settled): void {
    this.one.settled(total)
    this.other.settled(total)
  }
  notice(code: string, line: number | null, message: string): void {
    this.one.notice(code, line, message)
    this.other.notice(code, line, message)
  }
}
