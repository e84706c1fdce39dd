import type * as E from '../event/events.ts'
import { Bin, type Sink } from '../event/sink.ts'
import type { Text } from '../event/value.ts'
import type { Node, RecordView } from '../kernel/record.ts'
import { type CallSettings, CallWriter } from './cabinet/call-writer.ts'
import { EventClock } from './cabinet/clock.ts'
import { field, LineWriter, typed } from './cabinet/line-writer.ts'
import { rawValue, UNKNOWN } from './cabinet/raw.ts'
import { SaidSoFar } from './cabinet/said-so-far.ts'
import { isSilent, Spoken } from './cabinet/spoken.ts'
import { terminalFault } from './cabinet/terminal.ts'
import { tokensOf } from './cabinet/tokens.ts'
import { tellRepairs, wellFormed } from './repair.ts'
import { literal, type Splice } from './splice.ts'
import { textIn, wordIn } from './words.ts'

export interface CabinetOptions {
  /** Write what requests used as `usage`, a type beyond the 13 of the published page. */
  readonly usage: boolean
  readonly shell: CallSettings['shell']
  /** RFC 3339 in UTC: the time of events before the first that has one. */
  readonly observedAt: string | null
  /** Write bookkeeping and folded records as `unknown`. */
  readonly opaqueAll: boolean
  readonly operationsOf: CallSettings['operationsOf']
  readonly notice: (code: string, line: number | null, message: string) => void
}

/**
 * The sink that writes the events of the Test Cabinet (spec test-cabinet §1, design §5.7): what a run did, in 13 types.
 *
 * One event a call, written when its result arrives (`CallWriter`). What the model said in one record is one event.
 */
export class CabinetWriter implements Sink {
  readonly takesTalk = true
  readonly takesBills = false
  private readonly lines: LineWriter
  private readonly options: CabinetOptions
  private readonly clock: EventClock
  private readonly calls: CallWriter
  private readonly spoken = new Spoken()
  private readonly saidSoFar = new SaidSoFar()
  private current: RecordView
  /** A record is being translated, so that its nodes may be read. */
  private inRecord = false
  /** The record at hand is a stage of the orchestrator. */
  private isStage = false
  private harness: string | null = null

  constructor(out: Splice, record: RecordView, options: CabinetOptions) {
    this.lines = new LineWriter(out, record)
    this.current = record
    this.options = options
    const notice = (code: string, message: string): void => this.tell(code, message)
    this.clock = new EventClock(options.observedAt, notice)
    const begin = (at: Text): void => this.begin(at)
    const { shell, operationsOf } = options
    this.calls = new CallWriter(this.lines, this.clock, { shell, operationsOf, begin, notice })
  }

  get events(): number {
    return this.lines.lines
  }

  continueIn(out: Splice): void {
    this.lines.continueIn(out)
  }

  record(record: RecordView): void {
    this.current = record
    this.lines.values.record = record
    this.inRecord = true
    this.isStage = false
  }

  file(record: RecordView, bin: Bin): void {
    this.say()
    this.calls.writeStarts()
    this.calls.writeUnanswered()
    if (this.options.opaqueAll && (bin === Bin.Bookkeeping || bin === Bin.Folded))
      this.unknown(null, record.root)
    tellRepairs(this.lines.values.repairs, record.line, this.options.notice)
    this.inRecord = false
  }

  sessionStarted(e: E.SessionStarted): void {
    this.say()
    this.saidSoFar.turn(null, this.current)
    this.clock.see(this.current, e.at)
    const session = textIn(this.current, e.sessionId)
    if (session !== null && session !== '')
      this.lines.ofSession(JSON.stringify(wellFormed(session, this.lines.values.repairs)))
    this.harness = wordIn(this.current, e.adapter)
    this.calls.ofSession(this.harness, textIn(this.current, e.cwd) || null)
  }

  sessionEnded(e: E.SessionEnded): void {
    const { current } = this
    const at = this.clock.see(current, e.at)
    const answer = e.finalAnswer?.text ?? null
    this.say()
    if (!isSilent(answer, current) && !this.saidSoFar.holds(answer, current))
      this.message(AGENT, at, [answer])
    this.saidSoFar.turn(answer, current)
    const fault = terminalFault(current, e)
    if (fault === null) return
    this.begin(at)
    this.lines.text(fault.isError ? ERROR : WARNING, fault.message)
    this.lines.text(CODE, fault.code)
    this.lines.end()
  }

  text(e: E.Said): void {
    const at = this.clock.see(this.current, e.at)
    if (this.spoken.isElsewhere(e, this.current.line)) this.say()
    this.spoken.add('words', e, at, this.current)
  }

  thinking(e: E.Said): void {
    const at = this.clock.see(this.current, e.at)
    if (this.spoken.isElsewhere(e, this.current.line)) this.say()
    this.spoken.add('thoughts', e, at, this.current)
  }

  toolRequested(e: E.ToolRequested): void {
    this.calls.request(e, this.clock.see(this.current, e.at), this.current, this.inRecord)
  }

  toolResult(e: E.ToolResult): void {
    this.calls.result(e, this.clock.see(this.current, e.at), this.current, this.inRecord)
  }

  toolDecided(e: E.ToolDecided): void {
    if (e.decision !== 'deny' && e.decision !== 'replace') return
    const { current } = this
    const id = textIn(current, e.callId) ?? ''
    const reason = textIn(current, e.reason)
    const what = e.decision === 'deny' ? 'was denied' : 'was made with another input'
    this.begin(this.clock.see(current, e.at))
    this.lines.text(WARNING, `the call ${id} ${what}${reason === null ? '' : `: ${reason}`}`)
    this.lines.text(CODE, e.decision === 'deny' ? 'call-denied' : 'call-replaced')
    this.lines.end()
  }

  usage(e: E.Usage): void {
    const tokens = this.options.usage ? tokensOf(e.usage, this.harness) : null
    if (tokens === null) return
    // It is told when its message is over, with the time of its last line.
    this.begin(this.clock.seeLate(this.current, e.at))
    this.lines.out.text(tokens)
    if (e.usage.costUsd !== null) {
      this.lines.out.literal(COST)
      this.lines.values.decimal(e.usage.costUsd)
    }
    this.lines.end()
  }

  rateLimit(e: E.RateLimit): void {
    const { current } = this
    const at = this.clock.see(current, e.at)
    const status = wordIn(current, e.status)
    if (status === null || status === 'allowed') return
    const window = wordIn(current, e.window)
    this.begin(at)
    this.lines.text(WARNING, `rate limit status: ${status}${window === null ? '' : ` (${window})`}`)
    this.lines.text(CODE, 'rate-limit')
    this.lines.end()
  }

  warning(e: E.Warning): void {
    const at = this.clock.see(this.current, e.at)
    // A failed stage of the orchestrator has a type of its own, and was written as that.
    if (this.isStage) return
    this.begin(at)
    this.lines.text(e.severity === 'error' ? ERROR : WARNING, this.stringOf(e.message))
    const code = wordIn(this.current, e.code)
    if (code !== 'error' && code !== 'warning') this.lines.text(CODE, e.code)
    this.lines.end()
  }

  opaque(e: E.Opaque): void {
    this.unknown(this.clock.see(this.current, e.at), e.block ?? this.current.root)
  }

  authExpired(e: E.AuthExpired): void {
    this.begin(this.clock.see(this.current, e.at))
    this.lines.text(ERROR, e.detail === null ? 'the login has expired' : this.stringOf(e.detail))
    this.lines.text(CODE, 'auth-expired')
    this.lines.end()
  }

  system(e: E.SystemStage): void {
    this.begin(this.clock.see(this.current, e.at), false)
    this.lines.text(SYSTEM, this.stringOf(e.stage))
    this.lines.text(STATUS, this.stringOf(e.status))
    this.lines.text(MESSAGE, this.stringOf(e.message))
    this.lines.end()
    this.isStage = true
  }

  streamClosed(): void {
    this.say()
    this.calls.writeStarts()
    this.calls.writeAllOpen()
    tellRepairs(this.lines.values.repairs, null, this.options.notice)
  }

  stepEntered(e: E.StepEntered): void {
    this.clock.see(this.current, e.at)
  }
  stepLeft(e: E.StepLeft): void {
    this.clock.see(this.current, e.at)
  }
  turnStarted(e: E.TurnStarted): void {
    this.clock.see(this.current, e.at)
  }
  turnEnded(e: E.TurnEnded): void {
    this.clock.see(this.current, e.at)
  }
  thinkingEstimate(e: E.ThinkingEstimate): void {
    this.clock.see(this.current, e.at)
  }
  injection(e: E.Injection): void {
    this.clock.see(this.current, e.at)
  }
  commandResult(e: E.CommandResult): void {
    this.clock.see(this.current, e.at)
  }
  billed(): void {}
  settled(): void {}
  notice(): void {}

  private unknown(at: Text, piece: Node): void {
    this.begin(at)
    this.lines.out.literal(UNKNOWN)
    rawValue(this.lines, this.current, piece)
    this.lines.end()
  }

  /** Write what was said in the record so far. */
  private say(): void {
    if (this.spoken.isEmpty) return
    const { thoughts, words } = this.spoken.take()
    if (thoughts !== null) this.message(REASONING, thoughts.at, thoughts.texts)
    if (words === null) return
    this.message(AGENT, words.at, words.texts)
    for (const text of words.texts) this.saidSoFar.keep(text, this.current)
  }

  private message(type: typeof AGENT, at: Text, texts: readonly Text[]): void {
    this.lines.begin(at ?? this.clock.now())
    this.lines.joined(type, texts)
    this.lines.end()
  }

  /** The head of a line; what was said before it is written first. */
  private begin(at: Text, session = true): void {
    this.say()
    this.calls.writeStarts()
    this.lines.begin(at ?? this.clock.now(), session)
  }

  /** A field that has to be a string. */
  private stringOf(value: Text): Text {
    if (typeof value === 'number') return this.current.isString(value) ? value : ''
    return value ?? ''
  }

  private tell(code: string, message: string): void {
    this.options.notice(code, this.inRecord ? this.current.line : null, message)
  }
}

const AGENT = typed('agent', 'message')
const REASONING = typed('reasoning', 'message')
const ERROR = typed('error', 'message')
const WARNING = typed('warning', 'message')
const SYSTEM = typed('system', 'stage')
const STATUS = field('status')
const MESSAGE = field('message')
const CODE = field('code')
const COST = literal(',"cost":')
