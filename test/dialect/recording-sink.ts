import type { Billed, Settled } from '../../src/event/billing.ts'
import type * as E from '../../src/event/events.ts'
import { Bin, type Sink } from '../../src/event/sink.ts'
import type { Adapter, AdapterContext, Ending } from '../../src/dialect/adapter.ts'
import { NONE, type Node, type RecordView } from '../../src/kernel/record.ts'
import { RecordFlag } from '../../src/kernel/layout.ts'
import { Scanner } from '../../src/kernel/scanner.ts'

/** An event as plain values: what it held in nodes and bytes was read while its record was current. */
export interface Recorded {
  readonly event: string
  readonly [field: string]: unknown
}

export interface RecordedNotice {
  readonly code: string
  readonly line: number | null
  readonly message: string
}

/** Fields that hold a number of their own; any other number in an event is a node. */
const NUMBERS: ReadonlySet<string> = new Set(
  `line foldedLines sourceLine turn index attempt numTurns durationMs durationApiMs ttftMs timeToRequestMs
  subagentsSpawned inputTokens outputTokens cacheReadInputTokens cacheCreationInputTokens thinkingTokens iterations
  estimate delta deadlineMs latencyMs exitCode bytes resetsAt allowed denied replaced abstained bySeam
  byDecider`.split(/\s+/),
)
/** Fields whose spelling counts: kept as the characters of the number. */
const DECIMALS: ReadonlySet<string> = new Set(['costUsd', 'totalCostUsd', 'utilization'])

/** A sink that keeps all it is told, as plain values. */
export class RecordingSink implements Sink {
  readonly takesTalk = true
  readonly takesBills = true
  readonly events: Recorded[] = []
  readonly bins: Bin[] = []
  readonly entries: Billed[] = []
  readonly totals: Settled[] = []
  readonly notices: RecordedNotice[] = []
  private current: RecordView | null = null

  record(record: RecordView): void {
    this.current = record
  }
  file(_record: RecordView, bin: Bin): void {
    this.bins.push(bin)
  }
  /** The last record was read: a node from now on is a fault. */
  finish(): void {
    this.current = null
  }

  sessionStarted = (event: E.SessionStarted): void => this.keep('session.started', event)
  sessionEnded = (event: E.SessionEnded): void => this.keep('session.ended', event)
  stepEntered = (event: E.StepEntered): void => this.keep('step.entered', event)
  stepLeft = (event: E.StepLeft): void => this.keep('step.left', event)
  turnStarted = (event: E.TurnStarted): void => this.keep('turn.started', event)
  turnEnded = (event: E.TurnEnded): void => this.keep('turn.ended', event)
  text = (event: E.Said): void => this.keep('text', event)
  thinking = (event: E.Said): void => this.keep('thinking', event)
  thinkingEstimate = (event: E.ThinkingEstimate): void => this.keep('thinking.estimate', event)
  injection = (event: E.Injection): void => this.keep('injection', event)
  toolRequested = (event: E.ToolRequested): void => this.keep('tool.requested', event)
  toolDecided = (event: E.ToolDecided): void => this.keep('tool.decided', event)
  toolResult = (event: E.ToolResult): void => this.keep('tool.result', event)
  usage = (event: E.Usage): void => this.keep('usage', event)
  rateLimit = (event: E.RateLimit): void => this.keep('rate_limit', event)
  commandResult = (event: E.CommandResult): void => this.keep('command.result', event)
  warning = (event: E.Warning): void => this.keep('warning', event)
  opaque = (event: E.Opaque): void => this.keep('opaque', event)
  authExpired = (event: E.AuthExpired): void => this.keep('auth.expired', event)
  streamClosed = (event: E.StreamClosed): void => this.keep('stream.closed', event)

  system = (event: E.SystemStage): void => this.keep('system', event)

  billed(entry: Billed): void {
    this.entries.push(entry)
  }
  settled(total: Settled): void {
    this.totals.push(total)
  }
  notice(code: string, line: number | null, message: string): void {
    this.notices.push({ code, line, message })
  }

  private keep(event: string, fields: object): void {
    const made: Record<string, unknown> = { event }
    for (const [name, value] of Object.entries(fields)) made[name] = this.plain(name, value)
    this.events.push({ event, ...made })
  }

  private plain(name: string, value: unknown): unknown {
    if (typeof value === 'number') return NUMBERS.has(name) ? value : this.read(name, value)
    if (Array.isArray(value)) {
      return NUMBERS.has(name) ? [...value] : value.map((item: unknown) => this.plain('', item))
    }
    if (value === null || typeof value !== 'object' || NUMBERS.has(name)) return value
    if ('suspect' in value && 'bytes' in value && value.bytes instanceof Uint8Array) {
      return JSON.parse(Buffer.from(value.bytes).toString('utf8'))
    }
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, this.plain(key, inner)]))
  }

  private read(name: string, value: number): unknown {
    if (this.current === null) throw new Error(`${name} is a node, and no record is current`)
    if (value === NONE) throw new Error(`${name} is the node of nothing instead of null`)
    const raw = this.current.raw(value as Node)
    return DECIMALS.has(name) ? raw : JSON.parse(raw)
  }
}

export interface Translation {
  readonly events: readonly Recorded[]
  readonly bins: readonly Bin[]
  readonly entries: readonly Billed[]
  readonly totals: readonly Settled[]
  readonly notices: readonly RecordedNotice[]
  readonly ending: Ending
}

/**
 * Run an adapter over a transcript the way a reader does. Between any two records its state is cloned, as a snapshot
 * would be, so that nothing in it can lean on what is no plain data.
 *
 * @param apart every line is a chunk of its own: the bytes of a record are gone when the next one comes
 */
export function translate<State>(
  adapter: Adapter<State>,
  transcript: string | Uint8Array | readonly (string | object)[],
  context: Partial<AdapterContext> = {},
  apart = false,
): Translation & { readonly state: State } {
  const scanner = new Scanner()
  const sink = new RecordingSink()
  let state = adapter.initial({ run: 'run', deltas: false, tolerant: false, parts: [], ...context })
  let line = 1
  for (const chunk of apart ? linesOf(bytesOf(transcript)) : [bytesOf(transcript)]) {
    scanner.scanBytes(chunk)
    for (let i = 0; i < scanner.recordCount; i++) {
      const record = scanner.select(i, line)
      sink.record(record)
      if ((record.flags & RecordFlag.Unparsed) !== 0) {
        sink.opaque({ at: null, vendorType: null, vendorSubtype: null })
        sink.file(record, Bin.Unparsed)
        continue
      }
      sink.file(record, adapter.step(record, state, sink))
      state = structuredClone(state)
    }
    adapter.leave?.(scanner.view, state)
    line += scanner.lineCount
  }
  sink.finish()
  const ending = adapter.end(state, sink)
  const { events, bins, entries, totals, notices } = sink
  return { events, bins, entries, totals, notices, ending, state }
}

function linesOf(bytes: Uint8Array): Uint8Array[] {
  const lines: Uint8Array[] = []
  for (let from = 0; from < bytes.length;) {
    const feed = bytes.indexOf(0x0a, from)
    const end = feed < 0 ? bytes.length : feed + 1
    lines.push(bytes.subarray(from, end))
    from = end
  }
  return lines
}

/** Lines are strings as they stand, or values that are written as JSON. */
function bytesOf(transcript: string | Uint8Array | readonly (string | object)[]): Uint8Array {
  if (transcript instanceof Uint8Array) return transcript
  if (typeof transcript === 'string') return Buffer.from(transcript)
  const lines = transcript.map((line) => (typeof line === 'string' ? line : JSON.stringify(line)))
  return Buffer.from(lines.map((line) => `${line}\n`).join(''))
}

/** Names of bins, for tables of expectations. */
export function binNames(bins: readonly Bin[]): string[] {
  const names = Object.fromEntries(Object.entries(Bin).map(([name, bin]) => [bin, name]))
  return bins.map((bin) => names[bin] ?? '?')
}
