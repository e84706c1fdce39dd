import type { Form } from './best-form.ts'
import { type EntryRows, Flag, FLAGS, ROW_WORDS } from './entry-row.ts'
import { IDENTITY_WORDS } from './identity.ts'
import { IdentityMap } from './identity-map.ts'
import { type FormTranscript, partOf, requestsOf } from './session-part.ts'
import type { TranscriptLedger } from './transcript-ledger.ts'

/** Dialects whose requests have the same identities: one form, told apart request by request (`resolution.ts`). */
const KIN: ReadonlyMap<string, string> = new Map([
  ['claude-session', 'claude'],
  ['claude-stream', 'claude'],
  ['codex-rollout', 'codex'],
  ['codex-exec', 'codex'],
])

/** The form that transcripts of a dialect are of: that of its kin, else its own. */
export function formName(dialect: string): string {
  return KIN.get(dialect) ?? dialect
}

/** A transcript, or a part of it, that is not counted because another one tells the same run. */
export interface SameRun {
  readonly transcript: number
  readonly by: number
  readonly requests: number
}

/**
 * Within one form, dialects that tell the same requests: which transcript gave the numbers. Runs of `codex exec` state totals,
 * which give way to requests; totals of Claude's processes hold more than the requests.
 *
 * @param id of the session
 * @param tell called with each transcript whose part of the session another one tells whole
 */
export function kinOf(
  id: string,
  { name, members }: Form,
  transcripts: readonly FormTranscript[],
  tell: (transcript: number) => void,
): SameRun[] {
  const dialectOf = (i: number): string => transcripts[i]?.dialect ?? ''
  const stored = members.filter(
    (i) => dialectOf(i) === (name === 'codex' ? 'codex-rollout' : 'claude-session'),
  )
  const printed = members.filter((i) => !stored.includes(i))
  const found: SameRun[] = []
  for (const i of printed) {
    const own = partOf(id, transcripts[i])
    for (const j of stored) {
      if (name === 'codex') {
        const requests = requestsOf(own)
        if (requests > 0) found.push({ transcript: i, by: j, requests })
        tell(i)
        continue
      }
      const other = partOf(id, transcripts[j])
      const { requests, inTotals, ofPrinted, ofStored } = sharedRequests(own, other)
      if (requests === 0) continue
      if (requests === ofPrinted) tell(i)
      else if (requests === ofStored) tell(j)
      found.push(inTotals ? { transcript: j, by: i, requests } : { transcript: i, by: j, requests })
    }
  }
  return found
}

/** Requests of two transcripts, by their messages. */
interface Shared {
  /** In both. */
  readonly requests: number
  /** Totals of the printed one hold them. */
  readonly inTotals: boolean
  readonly ofPrinted: number
  readonly ofStored: number
}

function sharedRequests(printed: TranscriptLedger, stored: TranscriptLedger): Shared {
  const single = messagesIn(printed.entries)
  const settled = new IdentityMap(2)
  for (const { keys } of printed.totals) {
    for (let at = 0; at < keys.length; at += IDENTITY_WORDS) settled.add(keys, at)
  }
  let [inTotals, alone, ofStored] = [0, 0, 0]
  eachMessage(stored.entries, (words, at) => {
    ofStored++
    if (settled.has(words, at)) inTotals++
    else if (single.has(words, at)) alone++
  })
  return {
    requests: inTotals + alone,
    inTotals: inTotals > 0,
    ofPrinted: single.size + settled.size,
    ofStored,
  }
}

function messagesIn(rows: EntryRows): IdentityMap {
  const messages = new IdentityMap(2)
  eachMessage(rows, (words, at) => messages.add(words, at))
  return messages
}

/** Messages of requests that have a key; each once, though several requests may be of it. */
function eachMessage(rows: EntryRows, call: (words: Uint32Array, at: number) => void): void {
  const seen = new IdentityMap(2)
  for (const words of rows.blocks) {
    for (let at = 0; at < words.length; at += ROW_WORDS) {
      if ((words[at + FLAGS]! & Flag.Keyed) !== 0 && seen.add(words, at)) call(words, at)
    }
  }
}
