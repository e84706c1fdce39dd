import type { Billed } from '../../src/event/billing.ts'
import { LedgerSink } from '../../src/sink/ledger.ts'
import type { ResolvedLineage } from '../../src/usage/resolution.ts'
import type { TranscriptLedger } from '../../src/usage/transcript-ledger.ts'

/** The ledger of a transcript with these requests. */
export function ledgerOf(requests: readonly Billed[]): TranscriptLedger {
  const sink = new LedgerSink()
  for (const one of requests) sink.billed(one)
  return sink.finish()
}

/** What was resolved, in a form that is equal when the same is left: entries come in no particular order. */
export function canonical({ entries, orphans, ...counts }: ResolvedLineage): object {
  return {
    ...counts,
    entries: [...entries].map(spelled).toSorted(),
    orphans: orphans.map(spelled).toSorted(),
  }
}

function spelled(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) => (typeof inner === 'bigint' ? `${inner}n` : inner))
}
