import type * as E from '../event/events.ts'
import { Bin, type Sink } from '../event/sink.ts'
import type { Text } from '../event/value.ts'
import type { RecordView } from '../kernel/record.ts'
import { FieldWriter } from './metaharness/fields.ts'
import * as L from './metaharness/literals.ts'
import { putSessionEnded, putSessionStarted, SESSION_ENDED, SESSION_STARTED } from './metaharness/session.ts'
import { tellRepairs, wellFormed } from './repair.ts'
import { compactJson, sha256 } from './spelling.ts'
import { type Literal, literal, type Splice } from './splice.ts'
import { ValueWriter } from './value-writer.ts'

export interface WriterOptions {
  /** Run id on every line. */
  readonly run: string
  /** Path of the transcript as in the manifest, without compression suffix. */
  readonly path: string
  /** Add `source_line` to every event, and `folded_lines` where records were folded in. */
  readonly provenance: boolean
  /** Write an opaque event for bookkeeping and folded records too. */
  readonly opaqueAll: boolean
  /** Told of what had to be changed for strict readers: code, line, message. */
  readonly notice: (code: string, line: number | null, message: string) => void
}

/**
 * The sink that writes `metaharness.event/1`: one strict line an event, keys in upstream's order (spec
 * metaharness-event-1 §1–2). One method an event; of the two long ones that come once a session the fields are elsewhere.
 */
export class MetaharnessWriter implements Sink {
  readonly takesTalk = true
  readonly takesBills = false
  /** Lines written so far. */
  events = 0
  private out: Splice
  private readonly values: ValueWriter
  private readonly fields: FieldWriter
  private readonly options: WriterOptions
  /** As JSON strings. */
  private readonly runId: string
  private readonly path: string
  /** `,"run":"…"`, once for all lines. */
  private run: Literal
  private current: RecordView
  private wrote = false

  constructor(out: Splice, record: RecordView, options: WriterOptions) {
    this.out = out
    this.values = new ValueWriter(out, record)
    this.fields = new FieldWriter(this.values)
    this.current = record
    this.options = options
    // They come from ids and file names of others.
    this.runId = JSON.stringify(wellFormed(options.run, this.values.repairs))
    this.path = JSON.stringify(wellFormed(options.path, this.values.repairs))
    this.run = this.pinRun()
  }

  /** Go on into another splice: that of the next chunk. */
  continueIn(out: Splice): void {
    this.out = out
    this.values.out = out
    this.run = this.pinRun()
  }

  record(record: RecordView): void {
    this.current = record
    this.values.record = record
  }

  file(record: RecordView, bin: Bin): void {
    if (this.options.opaqueAll && (bin === Bin.Bookkeeping || bin === Bin.Folded)) {
      this.opaque({ at: null, vendorType: null, vendorSubtype: null })
    }
    this.countRepairs(record.line)
  }

  sessionStarted(e: E.SessionStarted): void {
    this.begin(e, SESSION_STARTED)
    putSessionStarted(this.fields, e, this.path)
    this.end(e)
  }

  sessionEnded(e: E.SessionEnded): void {
    this.begin(e, SESSION_ENDED)
    putSessionEnded(this.fields, e)
    this.end(e)
  }

  stepEntered(e: E.StepEntered): void {
    this.begin(e, L.STEP_ENTERED)
    this.fields.step(e.step)
    this.fields.textField('frame_digest', e.frameDigest)
    this.end(e)
  }

  stepLeft(e: E.StepLeft): void {
    this.begin(e, L.STEP_LEFT)
    this.fields.step(e.step)
    this.out.literal(L.OUTCOME)
    this.out.literal(L.quoted(e.outcome))
    if (e.outcome !== 'completed') this.fields.textField('reason', e.reason)
    this.out.literal(L.CLOSE)
    this.end(e)
  }

  turnStarted(e: E.TurnStarted): void {
    this.begin(e, L.TURN_STARTED)
    this.values.integer(e.turn)
    this.fields.textField('frame_digest', e.frameDigest)
    this.end(e)
  }

  turnEnded(e: E.TurnEnded): void {
    this.begin(e, L.TURN_ENDED)
    this.values.integer(e.turn)
    this.fields.textField('stop_reason', e.stopReason)
    this.end(e)
  }

  text(e: E.Said): void {
    this.begin(e, L.TEXT)
    this.values.text(e.text)
    this.out.literal(L.REQUEST_ID)
    this.values.text(e.requestId)
    this.end(e)
  }

  thinking(e: E.Said): void {
    this.begin(e, L.THINKING)
    this.values.text(e.text)
    this.out.literal(L.REQUEST_ID)
    this.values.text(e.requestId)
    this.end(e)
  }

  thinkingEstimate(e: E.ThinkingEstimate): void {
    this.begin(e, L.ESTIMATE)
    this.values.integer(e.estimate)
    this.fields.integerField('delta', e.delta)
    this.end(e)
  }

  injection(e: E.Injection): void {
    this.begin(e, L.INJECTION)
    this.values.text(e.text)
    this.out.literal(L.ORIGIN)
    this.values.text(e.origin)
    this.end(e)
  }

  toolRequested(e: E.ToolRequested): void {
    const { out, values } = this
    this.begin(e, L.TOOL_REQUESTED)
    values.text(e.callId)
    out.literal(L.NAME)
    values.text(e.name)
    out.literal(L.INPUT)
    values.json(e.input)
    if (e.operations.length > 0) {
      out.literal(L.OPERATIONS)
      values.textList(e.operations)
    }
    if (e.subjects.length > 0) {
      out.literal(L.SUBJECTS)
      values.textList(e.subjects)
    }
    if (!e.decisionRequired && e.deadlineMs === null && e.seam === 'none') {
      out.literal(L.NOT_DECIDED)
    } else {
      out.literal(L.field('decision_required'))
      values.bool(e.decisionRequired)
      this.fields.integerField('deadline_ms', e.deadlineMs)
      this.fields.wordField('seam', e.seam)
    }
    this.end(e)
  }

  toolDecided(e: E.ToolDecided): void {
    this.begin(e, L.TOOL_DECIDED)
    this.values.text(e.callId)
    this.out.literal(L.DECISION)
    this.out.literal(L.quoted(e.decision))
    if (e.decision === 'deny') this.fields.textField('reason', e.reason)
    if (e.decision === 'replace') {
      this.out.literal(L.INPUT)
      this.values.json(e.input)
    }
    this.out.literal(L.CLOSE)
    this.fields.wordField('decided_by', e.decidedBy)
    this.fields.wordField('seam', e.seam)
    this.fields.integerField('latency_ms', e.latencyMs)
    this.end(e)
  }

  toolResult(e: E.ToolResult): void {
    const { out, values } = this
    if (e.exitCode === null && e.outcomeSource === null) {
      this.begin(e, L.TOOL_RESULT)
    } else {
      this.begin(e, L.TOOL_RESULT_WITH_EXIT)
      values.integer(e.exitCode)
      this.fields.textField('outcome_source', e.outcomeSource)
      out.literal(L.field('call_id'))
    }
    values.text(e.callId)
    out.literal(L.IS_ERROR)
    values.bool(e.isError)
    out.literal(L.CONTENT)
    values.json(e.content)
    out.literal(L.BYTES)
    values.integer(e.bytes)
    out.literal(L.TOOL_USE_RESULT)
    values.json(e.toolUseResult)
    this.end(e)
  }

  usage(e: E.Usage): void {
    this.begin(e, L.USAGE)
    this.values.text(e.requestId)
    this.out.literal(L.MODEL)
    this.values.text(e.model)
    this.out.literal(L.USAGE_OBJECT)
    this.fields.usageObject(e.usage)
    this.end(e)
  }

  rateLimit(e: E.RateLimit): void {
    const { out, values } = this
    this.begin(e, literal(',"event":"rate_limit","info":{"status":'))
    values.text(e.status)
    this.fields.textField('window', e.window)
    this.fields.integerField('resets_at', e.resetsAt)
    out.literal(L.field('utilization'))
    values.decimal(e.utilization)
    out.literal(L.field('using_overage'))
    values.bool(e.usingOverage)
    this.fields.put('}')
    this.end(e)
  }

  commandResult(e: E.CommandResult): void {
    this.begin(e, L.COMMAND_RESULT)
    this.values.text(e.id)
    this.out.literal(L.field('outcome'))
    this.values.json(e.outcome)
    this.end(e)
  }

  warning(e: E.Warning): void {
    this.begin(e, L.WARNING)
    this.values.text(e.code)
    this.fields.textField('message', e.message)
    // Beyond the page: which call was denied, so that reading the stream back counts it for its tool.
    if (e.deniedCall !== undefined && e.deniedCall !== null) this.fields.textField('call_id', e.deniedCall)
    this.end(e)
  }

  opaque(e: E.Opaque): void {
    this.begin(e, L.OPAQUE)
    this.values.text(e.vendorType)
    this.fields.textField('vendor_subtype', e.vendorSubtype)
    this.out.literal(L.DIGEST)
    if (e.digest !== undefined) this.values.text(e.digest)
    else this.fields.put(`"${this.digest(e)}"`)
    this.fields.integerField('source_line', e.sourceLine === undefined ? this.lineOf(e) : e.sourceLine)
    this.endWithoutLine(e)
  }

  authExpired(e: E.AuthExpired): void {
    this.begin(e, L.event('auth.expired', 'credential_source'))
    this.values.text(e.credentialSource)
    this.fields.textField('detail', e.detail)
    this.fields.integerField('source_line', e.sourceLine === undefined ? this.lineOf(e) : e.sourceLine)
    this.endWithoutLine(e)
  }

  streamClosed(e: E.StreamClosed): void {
    const before = this.events
    this.head(null)
    const process = JSON.stringify(e.process ?? { kind: 'unknown' })
    this.fields.put(`,"event":"stream.closed","process":${process},"events":${before},"reason":"${e.reason}"`)
    this.fields.put(`,"run_id":${this.runId}`)
    this.out.literal(L.END)
    this.countRepairs(null)
  }

  system(): void {}
  billed(): void {}
  settled(): void {}
  notice(): void {}

  private pinRun(): Literal {
    return this.out.pin(`,"run":${this.runId}`)
  }

  private begin(e: E.Timed, start: Literal): void {
    this.head(e.at)
    this.out.literal(start)
  }

  private head(at: Text): void {
    const { out } = this
    out.breathe()
    this.events++
    this.wrote = true
    out.literal(L.HEAD)
    out.integer(this.events)
    out.pinned(this.run)
    if (at !== null && (typeof at !== 'number' || this.current.isString(at))) {
      out.literal(L.AT)
      this.values.text(at)
    }
  }

  private end(e: E.Timed): void {
    if (this.options.provenance) {
      this.out.literal(L.SOURCE_LINE)
      this.values.integer(this.lineOf(e))
    }
    this.endWithoutLine(e)
  }

  private endWithoutLine(e: E.Timed): void {
    if (this.options.provenance && e.foldedLines !== undefined && e.foldedLines.length > 0) {
      this.out.literal(L.FOLDED_LINES)
      this.values.integers(e.foldedLines)
    }
    this.out.literal(L.END)
  }

  private lineOf(e: E.Timed): number {
    return e.line ?? this.current.line
  }

  private digest(e: E.Opaque): string {
    const record = this.current
    if (record.oversize !== null) return record.oversize.digest
    if (e.block === undefined && record.frame !== null && record.frame.digest !== null)
      return record.frame.digest
    if (e.block !== undefined) return sha256(compactJson(record, e.block, true))
    return sha256(record.bytes.subarray(record.start, record.end))
  }

  private countRepairs(line: number | null): void {
    if (!this.wrote) return
    this.wrote = false
    // Whatever the record at hand is like: a value may have been kept from an earlier one.
    tellRepairs(this.values.repairs, line, this.options.notice)
  }
}
