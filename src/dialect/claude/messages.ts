import type { Tokens } from '../../event/billing.ts'
import type { Sink } from '../../event/sink.ts'
import type { Node, RecordView } from '../../kernel/record.ts'
import { picoUsd } from '../figures.ts'
import { isSpelled } from './fields.ts'
import { addTokens } from './totals.ts'
import { type Advisor, readAdvisors, readUsage, type UsageReading } from './usage.ts'

/** Threads whose message may be unfinished at the same time; past it the oldest is closed. */
const THREADS_LIMIT = 64
/** Written messages in one generation of memory; at least so many, and at most twice as many, are remembered. */
const GENERATION = 128

/** Models whose tokens are added up since the last total of a process. */
const MODELS_LIMIT = 1000

/**
 * The API messages of a transcript. One message is written as several lines, which all repeat its usage; the last
 * line, or the one with the largest output, has the final figures (spec vendor-transcripts §2.5).
 */
export interface Messages {
  /** The last message of each thread, open or written; a subagent is a thread of its own. */
  readonly threads: Map<string, OpenMessage>
  /** Rank of what was written lately, by key, so that a repeat is not written again. */
  written: Map<string, number>
  /** The same of what was written before that. */
  writtenBefore: Map<string, number>
  /** Tokens of what was written since the last total of the process, by model; null where there are no totals. */
  readonly since: Map<string | null, Tokens> | null
}

/** Mutable and used again for the next message of the thread, for it is made millions of times. */
export interface OpenMessage {
  /** Its usage is still to be written. */
  isOpen: boolean
  id: string | null
  requestId: string | null
  model: string | null
  reading: UsageReading
  advisors: readonly Advisor[]
  /** See `rankOf`. */
  rank: number
  /** Some line had a stop reason. */
  final: boolean
  uuid: string | null
  at: string | null
  /** 1-based line of the last record of this message. */
  line: number
  /** Lines that held nothing but this usage. */
  folded: number[] | null
  session: string | null
  process: string | null
  sidechain: boolean
  reportedPicoUsd: bigint | null
}

/** What one line says about the message it belongs to, beside its usage. */
export interface MessageLine {
  /** Empty for the main chain. */
  readonly thread: string
  readonly id: Node
  readonly requestId: Node
  readonly model: string | null
  readonly uuid: Node
  readonly at: string | null
  /** The line has a stop reason. */
  readonly final: boolean
  readonly session: string | null
  readonly process: string | null
  readonly sidechain: boolean
  readonly costUsd: Node
}

/** @param hasTotals the dialect states totals of a process, beside which later messages are to be added up */
export function noMessages(hasTotals: boolean): Messages {
  const since = hasTotals ? new Map<string | null, Tokens>() : null
  return { threads: new Map(), written: new Map(), writtenBefore: new Map(), since }
}

/**
 * A line of a message has come in this thread: the open message it belongs to, or null. Another message that the
 * thread was in the middle of is over, and is written.
 */
export function resume(
  record: RecordView,
  messages: Messages,
  thread: string,
  id: Node,
  requestId: Node,
  sink: Sink,
): OpenMessage | null {
  const open = openIn(messages, thread)
  if (open === null || isSame(record, open, id, requestId)) return open
  close(open, messages, sink)
  return null
}

/** The message a thread is in the middle of. */
export function openIn(messages: Messages, thread: string): OpenMessage | null {
  const last = messages.threads.get(thread)
  return last === undefined || !last.isOpen ? null : last
}

/**
 * Take in the usage of one line. Values are those of a single line, never a mix: the largest output, then a line
 * with a stop reason, then the later one.
 *
 * @param known the open message of the line, out of `resume`
 */
export function addLine(
  record: RecordView,
  usage: Node,
  line: MessageLine,
  known: OpenMessage | null,
  messages: Messages,
  sink: Sink,
): OpenMessage {
  const reading = readUsage(record, usage, sink)
  const rank = rankOf(reading.figures.outputTokens, line.final)
  if (known === null) {
    const advisors = readAdvisors(record, usage, reading, sink)
    return begin(record, line, reading, advisors, rank, messages, sink)
  }
  known.requestId ??= nonEmpty(record.text(line.requestId))
  known.at = line.at ?? known.at
  known.line = record.line
  known.final ||= line.final
  if (rank >= known.rank) {
    known.rank = rank
    known.model = line.model ?? known.model
    known.reading = reading
    known.advisors = readAdvisors(record, usage, reading, sink)
    known.reportedPicoUsd = picoUsd(record, line.costUsd) ?? known.reportedPicoUsd
  }
  return known
}

/** The final count of output tokens of a message, when a record of its own tells it. */
export function finish(message: OpenMessage, outputTokens: number): void {
  const rank = rankOf(outputTokens, true)
  message.final = true
  if (rank < message.rank) return
  const { reading } = message
  message.rank = rank
  message.reading = {
    ...reading,
    figures: { ...reading.figures, outputTokens },
    tokens: { ...reading.tokens, output: outputTokens },
  }
}

/** The message is over: write it; false when all of it had been written before. */
export function close(message: OpenMessage, messages: Messages, sink: Sink): boolean {
  message.isOpen = false
  return write(message, messages, sink)
}

/** Write all that is open, in the order in which the threads began. */
export function closeAll(messages: Messages, sink: Sink): void {
  for (const message of messages.threads.values()) if (message.isOpen) close(message, messages, sink)
}

/** The line held nothing but the usage of this message. */
export function noteFolded(message: OpenMessage, line: number): void {
  if (message.folded === null) message.folded = [line]
  else message.folded.push(line)
}

/**
 * How good the figures of a line are: by output, then by having a stop reason. Unknown output is below zero output.
 * One number, so that a snapshot of the memory of written messages is cheap.
 */
function rankOf(output: number | null, final: boolean): number {
  return ((output ?? -1) + 1) * 2 + (final ? 1 : 0)
}

/** Output as the rank knows it. */
function outputRank(rank: number): number {
  return Math.floor(rank / 2)
}

/** Gateways leave the request id out, also on some lines of a message only. */
function isSame(record: RecordView, open: OpenMessage, id: Node, requestId: Node): boolean {
  if (open.id === null || !isSpelled(record, id, open.id)) return false
  if (open.requestId === null || isSpelled(record, requestId, open.requestId)) return true
  return nonEmpty(record.text(requestId)) === null
}

/** Missing, null and empty are three spellings of absent. */
function nonEmpty(text: string | null): string | null {
  return text === '' ? null : text
}

/** A message begins with this line. */
function begin(
  record: RecordView,
  line: MessageLine,
  reading: UsageReading,
  advisors: readonly Advisor[],
  rank: number,
  messages: Messages,
  sink: Sink,
): OpenMessage {
  const id = nonEmpty(record.text(line.id))
  const requestId = nonEmpty(record.text(line.requestId))
  const uuid = id === null ? record.text(line.uuid) : null
  const reportedPicoUsd = picoUsd(record, line.costUsd)
  const { model, final, at, session, process, sidechain } = line
  const last = messages.threads.get(line.thread)
  if (last === undefined) {
    const facts = { id, requestId, model, reading, advisors, rank, final, uuid, at, line: record.line }
    const begun = { isOpen: true, ...facts, folded: null, session, process, sidechain, reportedPicoUsd }
    admit(messages, line.thread, begun, sink)
    return begun
  }
  last.isOpen = true
  last.id = id
  last.requestId = requestId
  last.model = model
  last.reading = reading
  last.advisors = advisors
  last.rank = rank
  last.final = final
  last.uuid = uuid
  last.at = at
  last.line = record.line
  last.folded = null
  last.session = session
  last.process = process
  last.sidechain = sidechain
  last.reportedPicoUsd = reportedPicoUsd
  return last
}

function admit(messages: Messages, thread: string, message: OpenMessage, sink: Sink): void {
  const { threads } = messages
  if (threads.size >= THREADS_LIMIT) {
    for (const [oldest, last] of threads) {
      if (last.isOpen) close(last, messages, sink)
      threads.delete(oldest)
      break
    }
  }
  threads.set(thread, message)
}

/** Identity over the whole corpus, without the session: copies of a session keep their message ids. */
function keyOf(message: OpenMessage): string | null {
  if (message.id !== null) return `claude:${message.id}:${message.requestId ?? ''}`
  return message.uuid === null ? null : `claude-line:${message.uuid}`
}

/** Write one message, unless what is known of it is already written; false when nothing was. */
function write(message: OpenMessage, messages: Messages, sink: Sink): boolean {
  const key = keyOf(message)
  if (key !== null) {
    const before = messages.written.get(key) ?? messages.writtenBefore.get(key)
    remember(messages, key, before === undefined ? message.rank : Math.max(before, message.rank))
    if (before !== undefined) {
      if (message.rank <= before) return false
      // The same output, but known to be final now: news for the bill, not for the wire.
      if (outputRank(message.rank) === outputRank(before)) {
        bill(message, key, sink)
        return false
      }
      sink.notice('usage-late', message.line, 'a message already written came again with a larger output')
    }
  }
  writeUsage(message, message.requestId, message.model, message.reading, sink)
  // Readers take usage with one request id for repeats of one request, and an advisor's is not in the message's.
  for (const advisor of message.advisors) writeUsage(message, null, advisor.model, advisor.reading, sink)
  bill(message, key, sink)
  const { since } = messages
  if (since !== null) {
    addTo(since, message.model, message.reading.tokens)
    for (const { model, reading } of message.advisors) addTo(since, model, reading.tokens)
  }
  return true
}

function addTo(since: Map<string | null, Tokens>, model: string | null, tokens: Tokens): void {
  const known = since.get(model)
  if (known === undefined && since.size >= MODELS_LIMIT) return
  since.set(model, known === undefined ? tokens : addTokens(known, tokens))
}

function writeUsage(
  message: OpenMessage,
  requestId: string | null,
  model: string | null,
  reading: UsageReading,
  sink: Sink,
): void {
  const { at, line, folded } = message
  const event = { at, line, requestId, model, usage: reading.figures }
  if (folded === null) {
    sink.usage(event)
    return
  }
  const foldedLines = folded.filter((other) => other !== line)
  sink.usage(foldedLines.length === 0 ? event : { ...event, foldedLines })
}

function bill(message: OpenMessage, key: string | null, sink: Sink): void {
  billOne(message, key, message.model, message.reading, message.reportedPicoUsd, sink)
  for (const { index, model, reading } of message.advisors) {
    billOne(message, key === null ? null : `${key}:advisor:${index}`, model, reading, null, sink)
  }
}

function billOne(
  message: OpenMessage,
  key: string | null,
  model: string | null,
  reading: UsageReading,
  reportedPicoUsd: bigint | null,
  sink: Sink,
): void {
  const { figures, tokens, webSearches, geo } = reading
  sink.billed({
    key,
    process: message.process,
    session: message.session,
    model,
    at: message.at,
    tokens,
    webSearches,
    final: message.final,
    reportedPicoUsd,
    serviceTier: typeof figures.serviceTier === 'string' ? figures.serviceTier : null,
    speed: typeof figures.speed === 'string' ? figures.speed : null,
    geo,
    sidechain: message.sidechain,
  })
}

function remember(messages: Messages, key: string, rank: number): void {
  messages.written.set(key, rank)
  if (messages.written.size < GENERATION) return
  messages.writtenBefore = messages.written
  messages.written = new Map()
}
