import type { Sink } from '../../event/sink.ts'
import type { Node, RecordView } from '../../kernel/record.ts'
import { picoUsd } from '../figures.ts'
import { isText } from './fields.ts'
import type { Messages, OpenMessage } from './message-state.ts'
import { type Advisor, readAdvisors, readUsage, type UsageReading } from './usage.ts'
import { writeMessage } from './written.ts'

/** Threads whose message may be unfinished at the same time; past it the oldest is closed. */
const THREADS_LIMIT = 64

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
  known.told?.push({ line: record.line, tokens: reading.tokens })
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
  return writeMessage(message, messages, sink)
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

/** Gateways leave the request id out, also on some lines of a message only. */
function isSame(record: RecordView, open: OpenMessage, id: Node, requestId: Node): boolean {
  if (open.id === null || !isText(record, id, open.id)) return false
  if (open.requestId === null || isText(record, requestId, open.requestId)) return true
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
  const told = messages.traced ? [{ line: record.line, tokens: reading.tokens }] : null
  const last = messages.threads.get(line.thread)
  if (last === undefined) {
    const facts = { id, requestId, model, reading, advisors, rank, final, uuid, at, line: record.line }
    const begun = { isOpen: true, ...facts, folded: null, told, session, process, sidechain, reportedPicoUsd }
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
  last.told = told
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
