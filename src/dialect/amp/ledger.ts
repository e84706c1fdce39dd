import type { Tokens } from '../../event/billing.ts'
import type { Sink } from '../../event/sink.ts'
import { keys } from '../../kernel/key.ts'
import { NONE, type Node, type RecordView } from '../../kernel/record.ts'
import { count } from '../figures.ts'
import { classes, spend } from '../spend.ts'
import { keptTimeOf, timeAt } from '../times.ts'
import { firstOf, wordAt } from '../values.ts'

const K = keys(
  'usageLedger',
  'events',
  'id',
  'timestamp',
  'model',
  'tokens',
  'input',
  'output',
  'toMessageId',
  'messages',
  'messageId',
  'inputTokens',
  'outputTokens',
  'cacheReadInputTokens',
  'cacheCreationInputTokens',
)

/** One call of the ledger, until its message comes. Plain data. */
interface Entry {
  readonly id: string | null
  readonly at: string | null
  readonly model: string | null
  readonly input: number | null
  readonly output: number | null
}

export interface Ledger {
  /** The thread has a ledger: then only its entries are requests. */
  readonly isKept: boolean
  /** By the message that answered. */
  readonly waiting: Map<string, Entry[]>
}

/**
 * The calls of a thread. Those that no message of the thread answers are written now, with what the ledger knows; the
 * others wait for their message, which knows the classes of the cache.
 */
export function openLedger(record: RecordView, root: Node, session: string | null, sink: Sink): Ledger {
  const events = record.get(record.get(root, K.usageLedger), K.events)
  const waiting = new Map<string, Entry[]>()
  if (!record.isArray(events) || record.size(events) === 0) return { isKept: false, waiting }
  const messages = new Set<string>()
  const list = record.get(root, K.messages)
  for (let message = firstOf(record, list); message !== NONE; message = record.next(message)) {
    const id = wordAt(record, record.get(message, K.messageId))
    if (id !== null) messages.add(id)
  }
  for (let event = record.first(events); event !== NONE; event = record.next(event)) {
    const entry = entryOf(record, event, sink)
    const answer = wordAt(record, record.get(event, K.toMessageId))
    if (answer === null || !messages.has(answer)) write(record, entry, unmatched(entry), session, sink)
    else waiting.set(answer, [...(waiting.get(answer) ?? []), entry])
  }
  return { isKept: true, waiting }
}

/** Write the calls that led to this message; without a ledger its usage is one. False when there is nothing. */
export function settleMessage(
  record: RecordView,
  message: { readonly id: Node; readonly usage: Node; readonly at: string | null },
  ledger: Ledger,
  session: string | null,
  sink: Sink,
): boolean {
  const { usage } = message
  const id = wordAt(record, message.id)
  const entries = (id === null ? undefined : ledger.waiting.get(id)) ?? []
  if (id !== null) ledger.waiting.delete(id)
  if (ledger.isKept) {
    for (const [i, entry] of entries.entries()) {
      // Of several calls behind one message only the last is the one whose usage it has.
      const isLast = i === entries.length - 1 && record.isObject(usage)
      write(record, entry, isLast ? tokensOf(record, usage, entry, sink) : unmatched(entry), session, sink)
    }
    return entries.length > 0
  }
  if (!record.isObject(usage)) return false
  const own = {
    id: null,
    at: message.at,
    model: record.word(record.get(usage, K.model)),
    input: null,
    output: null,
  }
  const { at, model } = own
  const key = id === null || session === null ? null : `amp:${session}:${id}`
  spend(record, { at, requestId: id, model, tokens: tokensOf(record, usage, own, sink), key, session }, sink)
  return true
}

function entryOf(record: RecordView, event: Node, sink: Sink): Entry {
  const tokens = record.get(event, K.tokens)
  return {
    id: wordAt(record, record.get(event, K.id)),
    at: keptTimeOf(record, timeAt(record, record.get(event, K.timestamp))),
    model: record.word(record.get(event, K.model)),
    input: count(record, record.get(tokens, K.input), sink),
    output: count(record, record.get(tokens, K.output), sink),
  }
}

/** What a message says of its request, and the ledger where it says nothing. The three classes of input are disjoint. */
function tokensOf(record: RecordView, usage: Node, entry: Entry, sink: Sink): Tokens {
  return classes(
    count(record, record.get(usage, K.inputTokens), sink) ?? entry.input,
    count(record, record.get(usage, K.cacheReadInputTokens), sink),
    count(record, record.get(usage, K.cacheCreationInputTokens), sink),
    count(record, record.get(usage, K.outputTokens), sink) ?? entry.output,
  )
}

/** The ledger alone does not tell what came from the cache. */
function unmatched({ input, output }: Entry): Tokens {
  return classes(input, null, null, output)
}

function write(record: RecordView, entry: Entry, tokens: Tokens, session: string | null, sink: Sink): void {
  const { id, at, model } = entry
  spend(record, { at, requestId: id, model, tokens, key: id === null ? null : `amp:${id}`, session }, sink)
}
