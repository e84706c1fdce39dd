import { totalTokens } from './entry.ts'
import type { TranscriptLedger } from './transcript-ledger.ts'
import { type EntryRows, entriesIn, Flag, FLAGS, ROW_WORDS, selectRows, settingsIn } from './entry-row.ts'
import { IDENTITY_WORDS } from './identity.ts'
import { IdentityMap } from './identity-map.ts'
import { addLedger, emptyLineage } from './lineage.ts'
import { resolveLineage } from './resolution.ts'

/** What tells whether two transcripts are forms of one run. */
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

/** A transcript, or a part of it, that is not counted because another one tells the same run. */
export interface SameRun {
  readonly transcript: number
  readonly by: number
  readonly requests: number
}

export interface Forms {
  /**
   * By transcript: ids of its sessions (or its run, where it names no session) of which another form is counted, each with a
   * transcript of that form.
   */
  readonly givingWay: ReadonlyMap<number, ReadonlyMap<string, number>>
  /** In the order of transcripts. */
  readonly same: readonly SameRun[]
  /** Transcripts all of whose sessions another one tells whole, so that a census counts their records once. */
  readonly repeated: ReadonlySet<number>
}

/** Forms that are made out of what a harness wrote; they know no more than it does. */
const DERIVED = new Set(['metaharness', 'cabinet'])

/** Dialects whose requests have the same identities: one form, told apart request by request (`resolution.ts`). */
const KIN: ReadonlyMap<string, string> = new Map([
  ['claude-session', 'claude'],
  ['claude-stream', 'claude'],
  ['codex-rollout', 'codex'],
  ['codex-exec', 'codex'],
])

/**
 * The same run may be kept as what the harness stores of it, as what it printed, and as streams made of that (design
 * §5.6). Of the forms of one session of one harness one counts: what a harness wrote itself before what was made of it, then the
 * one that knows the most tokens, then the one that its harness stores. A form that broke off gives way to one made of it
 * that knows more. Equal numbers are no evidence: forms are of one session when they name it; where neither names one, when
 * their files have one name, one of them is made of the other, and their figures do not contradict it.
 */
export function sameRuns(transcripts: readonly FormTranscript[]): Forms {
  const givingWay = new Map<number, Map<string, number>>()
  const same: SameRun[] = []
  const told: Told = new Map()
  for (const [id, members] of families(transcripts)) {
    for (const cluster of byHarness(members, transcripts)) {
      const forms = formsOf(id, cluster, transcripts)
      const best = bestOf(forms)
      for (const form of forms) {
        if (form === best || !isSameRun(id, form, best, transcripts)) continue
        for (const i of form.members) {
          const [by = i] = best.members
          const ids = givingWay.get(i) ?? new Map<string, number>()
          givingWay.set(i, ids.set(id, by))
          tell(told, i, id)
          const requests = requestsOf(partOf(id, transcripts[i]))
          if (requests > 0) same.push({ transcript: i, by, requests })
        }
      }
      for (const form of forms) same.push(...kinOf(id, form, transcripts, told))
    }
  }
  const repeated = new Set<number>()
  for (const [i, ids] of told) {
    const transcript = transcripts[i]
    if (transcript !== undefined && ids.size === idsOf(transcript).size) repeated.add(i)
  }
  return { givingWay, same: same.toSorted((a, b) => a.transcript - b.transcript || a.by - b.by), repeated }
}

/** By transcript: its sessions that another one tells whole. */
type Told = Map<number, Set<string>>

function tell(told: Told, transcript: number, id: string): void {
  const ids = told.get(transcript) ?? new Set<string>()
  told.set(transcript, ids.add(id))
}

/** The id that an entry of a transcript is looked up by in `Forms.givingWay`. */
export function sessionIdOf(session: string | null, { run }: FormTranscript): string {
  return session ?? run
}

interface Form {
  readonly name: string
  /** In the order of transcripts. */
  readonly members: readonly number[]
  /** Known tokens of the session in this form, each request once. */
  readonly tokens: number
  readonly cut: boolean
}

/** Transcripts by the sessions they bill, of sessions that occur in more than one dialect. */
function families(transcripts: readonly FormTranscript[]): ReadonlyMap<string, readonly number[]> {
  const found = new Map<string, number[]>()
  for (const [i, transcript] of transcripts.entries()) {
    for (const id of idsOf(transcript)) {
      const members = found.get(id)
      if (members === undefined) found.set(id, [i])
      else members.push(i)
    }
  }
  for (const [id, members] of found) {
    const dialects = new Set(members.map((i) => transcripts[i]?.dialect))
    if (dialects.size < 2) found.delete(id)
  }
  return found
}

function idsOf(transcript: FormTranscript): ReadonlySet<string> {
  const ids = new Set<string>()
  const { ledger } = transcript
  if (ledger === null) return ids
  for (const { session } of settingsIn(ledger.entries)) ids.add(sessionIdOf(session, transcript))
  for (const { entries } of ledger.totals) {
    for (const { session } of entries) ids.add(sessionIdOf(session, transcript))
  }
  return ids
}

/** Sessions of two harnesses are two; events of The Test Cabinet do not say of which they are. */
function byHarness(members: readonly number[], transcripts: readonly FormTranscript[]): number[][] {
  const clusters = new Map<string, number[]>()
  for (const i of members) {
    const harness = transcripts[i]?.harness ?? ''
    const known = clusters.get(harness)
    if (known === undefined) clusters.set(harness, [i])
    else known.push(i)
  }
  const nameless = clusters.get('test-cabinet')
  if (nameless !== undefined && clusters.size === 2) return [[...members]]
  return [...clusters.values()]
}

function formsOf(id: string, members: readonly number[], transcripts: readonly FormTranscript[]): Form[] {
  const byName = new Map<string, number[]>()
  for (const i of members) {
    const name = nameOf(transcripts[i])
    const known = byName.get(name)
    if (known === undefined) byName.set(name, [i])
    else known.push(i)
  }
  return [...byName].map(([name, of]) => ({
    name,
    members: of,
    tokens: byName.size === 1 ? 0 : tokensIn(id, of, transcripts),
    cut: of.every((i) => transcripts[i]?.cut === true),
  }))
}

function nameOf(transcript: FormTranscript | undefined): string {
  const { dialect, harness } = transcript ?? { dialect: '', harness: '' }
  // A raw capture holds what the harness printed.
  if (dialect === 'cabinet-raw' && (harness === 'claude' || harness === 'codex')) return harness
  return KIN.get(dialect) ?? dialect
}

function tokensIn(id: string, members: readonly number[], transcripts: readonly FormTranscript[]): number {
  const lineage = emptyLineage()
  for (const i of members) addLedger(lineage, partOf(id, transcripts[i]), i)
  let sum = 0
  for (const { entry } of resolveLineage(lineage).entries) sum += totalTokens(entry.tokens)
  return sum
}

/** What a transcript bills for one session. */
function partOf(id: string, transcript: FormTranscript | undefined): TranscriptLedger {
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

function requestsOf({ entries, totals }: TranscriptLedger): number {
  let sum = 0
  for (const { requests } of entriesIn(entries)) sum += requests
  for (const total of totals) for (const { requests } of total.entries) sum += requests
  return sum
}

function bestOf(forms: readonly Form[]): Form {
  const [best] = forms.toSorted((a, b) => Number(isMoreOf(b, a)) - Number(isMoreOf(a, b)) || compare(a, b))
  if (best === undefined) throw new RangeError('a family has at least one form')
  return best
}

/** A form made of one that broke off before it ended, and that knows more. */
function isMoreOf(a: Form, b: Form): boolean {
  return DERIVED.has(a.name) && !DERIVED.has(b.name) && (b.tokens === 0 || b.cut) && a.tokens > b.tokens
}

function compare(a: Form, b: Form): number {
  return Number(DERIVED.has(a.name)) - Number(DERIVED.has(b.name)) || b.tokens - a.tokens || rank(a) - rank(b)
}

/** What harnesses store, then what they print, then captures of it, then what is made of it. */
function rank({ name }: Form): number {
  if (DERIVED.has(name)) return name === 'metaharness' ? 3 : 4
  if (name === 'cabinet-raw') return 2
  return /-(?:stream|run|json)$/.test(name) ? 1 : 0
}

/** A file's name is weak evidence: only between a form and what is made of it, and only if the figures allow it. */
function isSameRun(id: string, form: Form, best: Form, transcripts: readonly FormTranscript[]): boolean {
  const isByName = [...form.members, ...best.members].some((i) => isNamedByFile(id, transcripts[i]))
  if (!isByName) return true
  const isMade = DERIVED.has(form.name) !== DERIVED.has(best.name)
  const isOne = form.members.length === 1 && best.members.length === 1
  return isMade && isOne && (form.tokens === best.tokens || form.tokens === 0 || best.cut || form.cut)
}

/** The run has no id of its own: that of a file without one is the file's name. */
function isNamedByFile(id: string, transcript: FormTranscript | undefined): boolean {
  if (transcript === undefined || transcript.run !== id) return false
  const name = transcript.path.slice(transcript.path.lastIndexOf('/') + 1)
  const settings = transcript.ledger === null ? [] : settingsIn(transcript.ledger.entries)
  const isNamed = [...settings].some(({ session }) => session === id)
  return !isNamed && name.split('.')[0] === id.split('.')[0]
}

/**
 * Within one form, dialects that tell the same requests: which transcript gave the numbers. Runs of `codex exec` state totals,
 * which give way to requests; totals of Claude's processes hold more than the requests.
 */
function kinOf(
  id: string,
  { name, members }: Form,
  transcripts: readonly FormTranscript[],
  told: Told,
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
        tell(told, i, id)
        continue
      }
      const other = partOf(id, transcripts[j])
      const { requests, inTotals, ofPrinted, ofStored } = sharedRequests(own, other)
      if (requests === 0) continue
      if (requests === ofPrinted) tell(told, i, id)
      else if (requests === ofStored) tell(told, j, id)
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
