import type * as E from '../event/events.ts'
import { type EventName, EVENT_NAMES } from '../event/events.ts'
import { Bin, type StreamContext } from '../event/sink.ts'
import type { Text, TextList } from '../event/value.ts'
import type { RecordView } from '../kernel/record.ts'
import {
  type Census,
  type Completeness,
  type DecisionCounts,
  type ToolCounts,
  bump,
  emptyCensus,
  toolCounts,
} from './census-counts.ts'
import { OpenCalls, rememberId } from './open-calls.ts'
import { QuietSink } from './quiet.ts'
import { textIn, wordIn } from './words.ts'

/** Why a line could not be read as a record. */
export type UnparsedReason = 'truncated' | 'not-json' | 'too-deep' | 'oversize'

/** Names a single transcript may bring into one map of the census; further ones are counted together. */
const MOST_NAMES = 1000
const OTHER_NAMES = '(other)'
/** Name of the tool whose call is not known: its request was never seen, or too long ago. */
const UNKNOWN_TOOL = '(unknown)'
/** UTF-16 units of a name that are kept. */
const LONGEST_NAME = 200
/** Ids of denials remembered, so that a list which is stated again is not counted again. */
const MOST_DENIALS = 65_536

const position = new Map<EventName, number>(EVENT_NAMES.map((name, i) => [name, i]))
const at = (name: EventName): number => position.get(name) ?? 0
const AT = {
  sessionStarted: at('session.started'),
  sessionEnded: at('session.ended'),
  stepEntered: at('step.entered'),
  stepLeft: at('step.left'),
  turnStarted: at('turn.started'),
  turnEnded: at('turn.ended'),
  text: at('text'),
  thinking: at('thinking'),
  thinkingEstimate: at('thinking.estimate'),
  injection: at('injection'),
  toolRequested: at('tool.requested'),
  toolDecided: at('tool.decided'),
  toolResult: at('tool.result'),
  usage: at('usage'),
  rateLimit: at('rate_limit'),
  commandResult: at('command.result'),
  warning: at('warning'),
  opaque: at('opaque'),
  authExpired: at('auth.expired'),
  streamClosed: at('stream.closed'),
}

/**
 * The census of one transcript. Records must come in order: results find their request by call id.
 *
 * State is bounded: open calls, remembered ids and the names of each map have limits of their own.
 */
export class CensusSink extends QuietSink {
  override readonly takesTalk = true
  private readonly counts: Census = emptyCensus()
  private readonly context: StreamContext
  private readonly calls = new OpenCalls()
  private readonly denialIds = new Set<string>()
  /** Tools already counted as offered (or withheld) by the session `announced`. */
  private announced: string | null = null
  private readonly offered = new Set<string>()
  private readonly withheld = new Set<string>()
  private subagent = false
  private spawnRequests = 0
  private spawnsStated: number | null = null
  private stated: DecisionCounts | null = null
  private current: RecordView | null = null

  constructor(context: StreamContext) {
    super()
    this.context = context
  }

  /** A line was no record; the reader files it as `Bin.Unparsed` besides. */
  unparsed(reason: UnparsedReason): void {
    bump(this.counts.unparsed, reason)
  }

  /** `n` lines without any content. */
  blank(n: number): void {
    this.counts.records.blank += n
  }

  /** The transcript's census, once everything was seen; to be called once. Sizes are of the raw transcript. */
  finish(seen: { completeness: Completeness; bytes: number; lines: number }): Census {
    const counts = this.counts
    bump(counts.transcripts.byDialect, this.context.dialect)
    counts.transcripts.completeness[seen.completeness]++
    if (this.subagent) counts.subagentTranscripts++
    counts.subagents += this.spawnsStated ?? this.spawnRequests
    if (this.stated !== null) Object.assign(counts.statedDecisions, this.stated)
    counts.bytes += seen.bytes
    counts.lines += seen.lines
    return counts
  }

  override record(record: RecordView): void {
    this.current = record
  }

  override file(_record: RecordView, bin: Bin): void {
    const records = this.counts.records
    if (bin === Bin.Translated) records.translated++
    else if (bin === Bin.Folded) records.folded++
    else if (bin === Bin.Bookkeeping) records.bookkeeping++
    else if (bin === Bin.Opaque) records.opaque++
    else records.unparsed++
  }

  override sessionStarted(event: E.SessionStarted): void {
    this.count(AT.sessionStarted)
    const session = textIn(this.current, event.sessionId) ?? this.context.run
    if (event.subagent) this.subagent = true
    else this.counts.sessions.add(session)
    if (this.announced !== session) {
      this.announced = session
      this.offered.clear()
      this.withheld.clear()
    }
    this.addOffered(event.offeredTools)
    for (const { tool } of event.withheld ?? []) {
      const name = this.nameOf(tool)
      if (rememberId(this.withheld, name, MOST_NAMES)) this.tool(name).withheld++
    }
  }

  override sessionEnded(event: E.SessionEnded): void {
    this.count(AT.sessionEnded)
    // Totals of a process run on: of spawns and of the seam's decisions the last statement holds all.
    if (event.subagentsSpawned !== null) {
      this.spawnsStated = Math.max(this.spawnsStated ?? 0, event.subagentsSpawned)
    }
    if (event.census !== null) {
      const { allowed, denied, replaced, abstained } = event.census
      this.stated = { allowed, denied, replaced, abstained }
    }
    for (const { toolUseId } of event.permissionDenials ?? []) {
      const id = textIn(this.current, toolUseId)
      if (id === null || rememberId(this.denialIds, id, MOST_DENIALS)) this.counts.permissionDenials++
    }
  }

  override injection(event: E.Injection): void {
    this.count(AT.injection)
    if (wordIn(this.current, event.origin) === 'user') this.counts.humanTurns++
  }

  override toolRequested(event: E.ToolRequested): void {
    this.count(AT.toolRequested)
    const tool = this.tool(this.nameOf(event.name))
    tool.requested++
    const id = textIn(this.current, event.callId)
    if (id !== null) this.calls.open(id, tool)
    for (const operation of event.operations) {
      if (wordIn(this.current, operation) === 'subagent.spawn') this.spawnRequests++
    }
  }

  override toolResult(event: E.ToolResult): void {
    this.count(AT.toolResult)
    const id = textIn(this.current, event.callId)
    const tool = (id === null ? undefined : this.calls.answer(id)) ?? this.tool(UNKNOWN_TOOL)
    tool.results++
    if (event.isError === true) tool.errors++
  }

  override toolDecided(event: E.ToolDecided): void {
    this.count(AT.toolDecided)
    const decisions = this.counts.decisions
    if (event.decision === 'allow') decisions.allowed++
    else if (event.decision === 'replace') decisions.replaced++
    else if (event.decision === 'abstain') decisions.abstained++
    else {
      decisions.denied++
      this.toolOfCall(event.callId).denied++
    }
    bump(decisions.bySeam, event.seam)
    bump(decisions.byDecider, event.decidedBy)
  }

  override warning(event: E.Warning): void {
    this.count(AT.warning)
    this.bumpName(this.counts.warnings, wordIn(this.current, event.code) ?? 'unknown')
    if (event.deniedCall !== undefined && event.deniedCall !== null) {
      this.toolOfCall(event.deniedCall).denied++
    }
  }

  override opaque(event: E.Opaque): void {
    this.count(AT.opaque)
    const type = wordIn(this.current, event.vendorType)
    const subtype = wordIn(this.current, event.vendorSubtype)
    const words = subtype === null ? (type ?? 'unknown') : `${type ?? 'unknown'}/${subtype}`
    this.bumpName(this.counts.opaque, words)
  }

  override rateLimit(event: E.RateLimit): void {
    this.count(AT.rateLimit)
    this.bumpName(this.counts.rateLimits, wordIn(this.current, event.status) ?? 'unknown')
  }

  override authExpired(_event: E.AuthExpired): void {
    this.count(AT.authExpired)
    this.counts.authExpired++
  }

  override streamClosed(event: E.StreamClosed): void {
    this.count(AT.streamClosed)
    this.counts.transcripts.closed[event.reason]++
  }

  override stepEntered(_event: E.StepEntered): void {
    this.count(AT.stepEntered)
  }
  override stepLeft(_event: E.StepLeft): void {
    this.count(AT.stepLeft)
  }
  override turnStarted(_event: E.TurnStarted): void {
    this.count(AT.turnStarted)
  }
  override turnEnded(_event: E.TurnEnded): void {
    this.count(AT.turnEnded)
  }
  override text(_event: E.Said): void {
    this.count(AT.text)
  }
  override thinking(_event: E.Said): void {
    this.count(AT.thinking)
  }
  override thinkingEstimate(_event: E.ThinkingEstimate): void {
    this.count(AT.thinkingEstimate)
  }
  override usage(_event: E.Usage): void {
    this.count(AT.usage)
  }
  override commandResult(_event: E.CommandResult): void {
    this.count(AT.commandResult)
  }

  private count(index: number): void {
    this.counts.events[index]!++
  }

  private addOffered(tools: TextList): void {
    if (tools === null) return
    for (const tool of tools) {
      const name = this.nameOf(tool)
      if (rememberId(this.offered, name, MOST_NAMES)) this.tool(name).offered++
    }
  }

  private toolOfCall(callId: Text): ToolCounts {
    const id = textIn(this.current, callId)
    return (id === null ? undefined : this.calls.find(id)) ?? this.tool(UNKNOWN_TOOL)
  }

  private nameOf(text: Text): string {
    return clipped(wordIn(this.current, text) ?? UNKNOWN_TOOL)
  }

  private tool(name: string): ToolCounts {
    const tools = this.counts.tools
    if (tools.size < MOST_NAMES) return toolCounts(this.counts, name)
    return tools.get(name) ?? toolCounts(this.counts, OTHER_NAMES)
  }

  private bumpName(counts: Map<string, number>, name: string): void {
    const key = clipped(name)
    bump(counts, counts.size < MOST_NAMES || counts.has(key) ? key : OTHER_NAMES)
  }
}

/** A name short enough to be kept. `slice` alone would keep the whole long string alive behind it. */
function clipped(name: string): string {
  if (name.length <= LONGEST_NAME) return name
  return Buffer.from(`${name.slice(0, LONGEST_NAME - 1)}…`).toString()
}
