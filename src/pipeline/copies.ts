import { totalTokens } from '../usage/entry.ts'
import type { TranscriptLedger } from '../usage/transcript-ledger.ts'
import { tokensIn } from '../usage/entry-row.ts'
import { hashText, IDENTITY_WORDS } from '../usage/identity.ts'
import { IdentityMap } from '../usage/identity-map.ts'
import type { JobOptions, TranscriptJob, TranscriptResult } from './job.ts'
import { isArchived } from './corpus.ts'
import type { Listed } from './listed.ts'
import { runJobs, type RunSettings } from './run.ts'

/**
 * Transcripts whose bytes are those of another one. Only those that are alike in all that was counted are read again for their
 * digests.
 *
 * @param results in byte order of their paths
 * @returns by place of a copy: the place of the one that counts, which is the first that is not archived
 */
export async function findCopies(
  results: Listed<TranscriptResult>,
  jobs: Listed<TranscriptJob>,
  options: JobOptions,
  settings: Pick<RunSettings, 'jobs' | 'signal'>,
): Promise<ReadonlyMap<number, number>> {
  const copies = new Map<number, number>()
  const alike = alikeResults(results, options.census)
  if (alike.length === 0) return copies
  const digests = await digestsOf(alike.flat(), results, jobs, options, settings)
  for (const group of alike) {
    const first = new Map<string, number>()
    for (const i of group.toSorted((a, b) => archived(results.at(a)) - archived(results.at(b)) || a - b)) {
      const digest = digests.get(results.at(i)?.path ?? '')
      if (digest === undefined) continue
      const original = first.get(digest)
      if (original === undefined) first.set(digest, i)
      else copies.set(i, original)
    }
  }
  return new Map([...copies].toSorted(([a], [b]) => a - b))
}

function archived(result: TranscriptResult | undefined): number {
  return Number(result !== undefined && isArchived(result.path))
}

/** Places of results that could be copies of one another, in groups. The name of a file may be in its run, so that says nothing. */
function alikeResults(results: Listed<TranscriptResult>, all: boolean): number[][] {
  const groups = new Map<number, number[]>()
  const firsts = new IdentityMap()
  let i = -1
  for (const { dialect, bytes, lines, records, error, ledger } of results) {
    i++
    if (error !== null || ledger === null || bytes === 0) continue
    // What bills nothing cannot be billed twice.
    if (!all && ledger.entries.blocks.length + ledger.totals.length === 0) continue
    const key = JSON.stringify([dialect, bytes, lines, records, tokensOf(ledger)])
    hashText(key, 0, key.length, KEY_SEED, hashed)
    if (firsts.add(hashed, 0, i)) continue
    const first = firsts.get(hashed, 0) ?? i
    const group = groups.get(first)
    if (group === undefined) groups.set(first, [first, i])
    else group.push(i)
  }
  return [...groups.values()]
}

const KEY_SEED = 0x3c6ef372
const hashed = new Uint32Array(IDENTITY_WORDS)

function tokensOf({ entries, totals }: TranscriptLedger): number {
  let sum = tokensIn(entries)
  for (const total of totals) for (const { tokens } of total.entries) sum += totalTokens(tokens)
  return sum
}

/** Digests by path. */
async function digestsOf(
  places: readonly number[],
  results: Listed<TranscriptResult>,
  jobs: Listed<TranscriptJob>,
  options: JobOptions,
  settings: Pick<RunSettings, 'jobs' | 'signal'>,
): Promise<ReadonlyMap<string, string>> {
  const digests = new Map<string, string>()
  const wanted = new Set<number>()
  for (const i of places) {
    const result = results.at(i)
    if (result === undefined) continue
    if (result.digest !== null) digests.set(result.path, result.digest)
    // Standard input cannot be read again.
    else if (jobs.at(result.index)?.file != null) wanted.add(result.index)
  }
  if (wanted.size === 0) return digests
  const again: TranscriptJob[] = []
  for (const place of [...wanted].toSorted((a, b) => a - b)) {
    const job = jobs.at(place)
    if (job !== undefined) again.push({ ...job, index: again.length, named: true })
  }
  const only = { ...options, usage: false, census: false, traced: false, digest: true }
  const { results: read } = await runJobs(again, only, { ...settings, stream: null })
  for (const { path, digest } of read) if (digest !== null) digests.set(path, digest)
  return digests
}
