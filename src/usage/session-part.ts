import { entriesIn, selectRows, settingsIn } from './entry-row.ts'
import type { TranscriptLedger } from './transcript-ledger.ts'

/** What is known of a transcript when its sessions are compared with those of others. */
export interface FormTranscript {
  /** Path as in the manifest. */
  readonly path: string
  readonly dialect: string
  readonly harness: string
  readonly run: string
  /** It broke off, so that another form may know more. */
  readonly cut: boolean
  readonly ledger: TranscriptLedger | null
}

/** The id that an entry of a transcript is looked up by in `Forms.givingWay`. */
export function sessionIdOf(session: string | null, { run }: FormTranscript): string {
  return session ?? run
}

/** The sessions that a transcript bills; its run stands for entries without one. */
export function idsOf(transcript: FormTranscript): ReadonlySet<string> {
  const ids = new Set<string>()
  const { ledger } = transcript
  if (ledger === null) return ids
  for (const { session } of settingsIn(ledger.entries)) ids.add(sessionIdOf(session, transcript))
  for (const { entries } of ledger.totals) {
    for (const { session } of entries) ids.add(sessionIdOf(session, transcript))
  }
  return ids
}

/** What a transcript bills for one session. */
export function partOf(id: string, transcript: FormTranscript | undefined): TranscriptLedger {
  if (transcript === undefined || transcript.ledger === null) {
    return { entries: { blocks: [], settings: [], odd: [] }, totals: [], repeats: 0 }
  }
  const { entries, totals } = transcript.ledger
  const isPart = ({ session }: { readonly session: string | null }): boolean =>
    sessionIdOf(session, transcript) === id
  return {
    entries: selectRows(entries, new Set([...settingsIn(entries)].filter(isPart))),
    totals: totals.filter(({ entries: [first] }) => first !== undefined && isPart(first)),
    repeats: 0,
  }
}

/** Requests in a ledger, those that totals hold included. */
export function requestsOf({ entries, totals }: TranscriptLedger): number {
  let sum = 0
  for (const { requests } of entriesIn(entries)) sum += requests
  for (const total of totals) for (const { requests } of total.entries) sum += requests
  return sum
}
