import type { Tokens } from '../../event/billing.ts'
import type { UsageFigures } from '../../event/events.ts'
import type { Sink } from '../../event/sink.ts'
import { spelledUsd } from '../figures.ts'
import { LONGEST_ID } from './fields.ts'
import type { Messages, OpenMessage } from './message-state.ts'
import { addTokens } from './totals.ts'
import type { UsageReading } from './usage.ts'

/** Written messages in one generation of memory; at least so many, and at most twice as many, are remembered. */
const GENERATION = 128
/** How keys of messages that have an id begin. */
const MESSAGE = 'claude:'
const MAIN_THREAD = ''
/** Models whose tokens are added up since the last total of a process. */
const MODELS_LIMIT = 1000

/**
 * Write one message: its usage and that of its advisors, for the wire and for the bill. Not what has been written
 * already; false when nothing was.
 */
export function writeMessage(message: OpenMessage, messages: Messages, sink: Sink): boolean {
  const key = keyOf(message)
  let isLate = false
  if (key !== null) {
    const before = messages.written.get(key) ?? messages.writtenBefore.get(key)
    const isAside = (message.sidechain || messages.mainIds !== null) && repeatsMain(message, messages)
    remember(messages, key, before === undefined ? message.rank : Math.max(before, message.rank))
    if (before !== undefined && message.rank <= before) return false
    if (isAside) {
      bill(message, key, sink)
      return false
    }
    if (before !== undefined) {
      // The same output, but known to be final now: news for the bill, not for the wire.
      if (outputRank(message.rank) === outputRank(before)) {
        bill(message, key, sink)
        return false
      }
      isLate = true
      sink.notice('usage-late', message.line, 'a message already written came again with a larger output')
    }
  }
  writeUsage(message, message.requestId, message.model, priced(message), sink)
  // Readers take usage with one request id for repeats of one request, and an advisor's is not in the message's.
  for (const { model, reading } of message.advisors) writeUsage(message, null, model, reading.figures, sink)
  bill(message, key, sink)
  const { since } = messages
  if (since !== null && !isLate) {
    addTo(since, message.model, message.reading.tokens)
    for (const { model, reading } of message.advisors) addTo(since, model, reading.tokens)
  }
  return true
}

/** Identity over the whole corpus, without the session: copies of a session keep their message ids. */
function keyOf(message: OpenMessage): string | null {
  if (message.id !== null) return `${MESSAGE}${message.id}:${message.requestId ?? ''}`
  return message.uuid === null ? null : `claude-line:${message.uuid}`
}

/**
 * A side question repeats messages of the main chain, sometimes under another request id: it is one request all the
 * same (spec vendor-transcripts §2.5 rule 6), and which of them counts is for the bill to say. Messages of the main
 * chain only have their ids noted, once there was a side chain.
 */
function repeatsMain({ id, sidechain }: OpenMessage, messages: Messages): boolean {
  // Before the first message of a side chain all that is remembered is of the main chain.
  messages.mainIds ??= idsOf(messages)
  const { mainIds, threads } = messages
  if (id === null || id.length > LONGEST_ID) return false
  if (sidechain) return mainIds.has(id) || threads.get(MAIN_THREAD)?.id === id
  if (mainIds.size >= 2 * GENERATION) mainIds.delete(mainIds.values().next().value ?? '')
  mainIds.add(id)
  return false
}

/** Ids of the messages that were written lately. */
function idsOf({ written, writtenBefore }: Messages): Set<string> {
  const keys = [...writtenBefore.keys(), ...written.keys()].filter((key) => key.startsWith(MESSAGE))
  return new Set(keys.map((key) => key.slice(MESSAGE.length, key.lastIndexOf(':'))))
}

/** Output as the rank knows it. */
function outputRank(rank: number): number {
  return Math.floor(rank / 2)
}

function addTo(since: Map<string | null, Tokens>, model: string | null, tokens: Tokens): void {
  if (model !== null && model.length > LONGEST_ID) return
  const known = since.get(model)
  if (known === undefined && since.size >= MODELS_LIMIT) return
  since.set(model, known === undefined ? tokens : addTokens(known, tokens))
}

/** With the price that early versions stated on their lines. */
function priced({ reading, reportedPicoUsd }: OpenMessage): UsageFigures {
  return reportedPicoUsd === null
    ? reading.figures
    : { ...reading.figures, costUsd: spelledUsd(reportedPicoUsd) }
}

function writeUsage(
  message: OpenMessage,
  requestId: string | null,
  model: string | null,
  usage: UsageFigures,
  sink: Sink,
): void {
  const { at, line, folded } = message
  const event = { at, line, requestId, model, usage }
  if (folded === null) {
    sink.usage(event)
    return
  }
  const foldedLines = folded.filter((other) => other !== line)
  sink.usage(foldedLines.length === 0 ? event : { ...event, foldedLines })
}

function bill(message: OpenMessage, key: string | null, sink: Sink): void {
  if (!sink.takesBills) return
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
    told: message.told ?? undefined,
  })
}

function remember(messages: Messages, key: string, rank: number): void {
  if (key.length > 2 * LONGEST_ID) return
  messages.written.set(key, rank)
  if (messages.written.size < GENERATION) return
  messages.writtenBefore = messages.written
  messages.written = new Map()
}
