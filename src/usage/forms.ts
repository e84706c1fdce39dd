import { bestOf, type Form, isDerived } from './best-form.ts'
import { totalTokens } from './entry.ts'
import { settingsIn } from './entry-row.ts'
import { hashText, IDENTITY_WORDS } from './identity.ts'
import { IdentityMap } from './identity-map.ts'
import { formName, kinOf, type SameRun } from './kin.ts'
import { addLedger, emptyLineage } from './lineage.ts'
import { resolveLineage } from './resolution.ts'
import { type FormTranscript, idsOf, partOf, requestsOf } from './session-part.ts'

/** What a corpus holds in more than one form. */
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
      for (const form of forms) same.push(...kinOf(id, form, transcripts, (i) => tell(told, i, id)))
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

/** Transcripts by the sessions they bill, of sessions that occur in more than one dialect. */
function families(transcripts: readonly FormTranscript[]): ReadonlyMap<string, readonly number[]> {
  const found = new Map<string, number[]>()
  const several = inSeveralDialects(transcripts)
  if (several.size === 0) return found
  for (const [i, transcript] of transcripts.entries()) {
    for (const id of idsOf(transcript)) {
      hashText(id, 0, id.length, SESSION_SEED, hashed)
      if (!several.has(hashed, 0)) continue
      const members = found.get(id)
      if (members === undefined) found.set(id, [i])
      else members.push(i)
    }
  }
  return found
}

const SESSION_SEED = 0x6a09e667
const hashed = new Uint32Array(IDENTITY_WORDS)

/** Hashes of the sessions that two dialects tell of: few, of what may be very many. */
function inSeveralDialects(transcripts: readonly FormTranscript[]): IdentityMap {
  const dialects = new Map<string, number>()
  const first = new IdentityMap()
  const several = new IdentityMap()
  for (const transcript of transcripts) {
    const { dialect } = transcript
    const number = dialects.get(dialect) ?? dialects.size
    dialects.set(dialect, number)
    for (const id of idsOf(transcript)) {
      hashText(id, 0, id.length, SESSION_SEED, hashed)
      if (!first.add(hashed, 0, number) && first.get(hashed, 0) !== number) several.add(hashed, 0)
    }
  }
  return several
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
  return formName(dialect)
}

function tokensIn(id: string, members: readonly number[], transcripts: readonly FormTranscript[]): number {
  const lineage = emptyLineage()
  for (const i of members) addLedger(lineage, partOf(id, transcripts[i]), i)
  let sum = 0
  for (const { entry } of resolveLineage(lineage).entries) sum += totalTokens(entry.tokens)
  return sum
}

/** A file's name is weak evidence: only between a form and what is made of it, and only if the figures allow it. */
function isSameRun(id: string, form: Form, best: Form, transcripts: readonly FormTranscript[]): boolean {
  const isByName = [...form.members, ...best.members].some((i) => isNamedByFile(id, transcripts[i]))
  if (!isByName) return true
  const isMade = isDerived(form) !== isDerived(best)
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
