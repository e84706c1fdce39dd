import type { Billed, Settled } from '../event/billing.ts'
import type * as E from '../event/events.ts'
import type { Bin, Sink } from '../event/sink.ts'
import type { RecordView } from '../kernel/record.ts'

/** A sink that ignores everything; counting sinks extend it by what they count. */
export class QuietSink implements Sink {
  readonly takesTalk: boolean = false
  readonly takesBills: boolean = false
  record(_record: RecordView): void {}
  file(_record: RecordView, _bin: Bin): void {}
  sessionStarted(_event: E.SessionStarted): void {}
  sessionEnded(_event: E.SessionEnded): void {}
  stepEntered(_event: E.StepEntered): void {}
  stepLeft(_event: E.StepLeft): void {}
  turnStarted(_event: E.TurnStarted): void {}
  turnEnded(_event: E.TurnEnded): void {}
  text(_event: E.Said): void {}
  thinking(_event: E.Said): void {}
  thinkingEstimate(_event: E.ThinkingEstimate): void {}
  injection(_event: E.Injection): void {}
  toolRequested(_event: E.ToolRequested): void {}
  toolDecided(_event: E.ToolDecided): void {}
  toolResult(_event: E.ToolResult): void {}
  usage(_event: E.Usage): void {}
  rateLimit(_event: E.RateLimit): void {}
  commandResult(_event: E.CommandResult): void {}
  warning(_event: E.Warning): void {}
  opaque(_event: E.Opaque): void {}
  authExpired(_event: E.AuthExpired): void {}
  streamClosed(_event: E.StreamClosed): void {}
  system(_event: E.SystemStage): void {}
  billed(_entry: Billed): void {}
  settled(_total: Settled): void {}
  notice(_code: string, _line: number | null, _message: string): void {}
}
