import { availableParallelism, loadavg } from 'node:os'
import { join } from 'node:path'
import { type BenchCorpus, generate } from '../corpora.ts'
import { peakLimit, readGuard } from '../guard.ts'
import { runLarge } from '../large.ts'
import { describeMachine } from '../machine.ts'
import { say } from '../progress.ts'
import { writeRecord } from '../record.ts'
import { type BenchRequest, isWanted, type PeersRequest } from '../request.ts'
import { formatMachine } from '../table.ts'
import { openWorkplace } from '../workplace.ts'
import { clear } from './conversion.ts'
import type { PeersDocument } from './document.ts'
import { measureFolder } from './folder.ts'
import { goalsFor, judgeGoals, type Measured } from './goals.ts'
import type { Field, GroupResult, Settings } from './group.ts'
import { installPeers, type Peers } from './install.ts'
import { ownCases, measureOwnCase } from './own-cases.ts'
import { measureSmallFiles } from './small-files.ts'
import { disagreements, formatPeers } from './table.ts'
import { toolVersions } from './tools.ts'
import { measureTranscript } from './transcript.ts'
import { measureUsage } from './usage.ts'

/** Room for a folder and one copy or output of it, as a multiple of its bytes; small files take whole pages. */
const ROOM = 2.5

/** A transcript of 5 MB is an ordinary one. */
const FILE_BYTES = 5_000_000

/** Everything that can be asked for by its name, in the order of measuring. */
const GROUPS = [...ownCases, 'usage', 'folder', 'transcript', 'small-files'] as const

/**
 * Measure millrace against its peers and its goals, print what came of it, and write a record; the exit code. That is 1
 * when answers disagree or peers are missing, but not for a goal that is not met: goals are not floors.
 */
export async function measurePeers(
  { sizeBytes, rounds }: PeersRequest,
  { only, json, largeBytes }: BenchRequest,
): Promise<number> {
  const names = GROUPS.filter((name) => isWanted(name, only))
  if (names.length === 0 && largeBytes === null) throw new TypeError(`--only knows ${GROUPS.join(', ')}`)
  const machine = describeMachine()
  const peers = names.includes('usage') ? tryToInstall() : null
  const settings: Settings = { sizeBytes, rounds, peers }
  const workplace = openWorkplace(sizeBytes * ROOM)
  let result: GroupResult
  try {
    if (!json) console.log(`${formatMachine(machine, workplace.inMemory)}\n`)
    result = await measureGroups(names, workplace.folder, settings)
  } finally {
    workplace.close()
  }
  const measured = [...result.measured, ...peakOf(result.fields), ...(await measureVeryLarge(largeBytes))]
  const goals = goalsFor(peakLimit(readGuard(), machine.cores))
  const document: PeersDocument = {
    format: 'millrace.peers/1',
    at: new Date().toISOString(),
    machine,
    loadAfter: loadavg()[0] ?? 0,
    inMemory: workplace.inMemory,
    sizeBytes,
    rounds,
    versions: { ...peers?.versions, ...toolVersions() },
    goals: judgeGoals(goals, measured),
    fields: result.fields,
  }
  console.log(json ? JSON.stringify(document) : formatPeers(document))
  console.error(`wrote ${writeRecord(document, 'peers')}`)
  const isMissing = peers === null && names.includes('usage')
  return isMissing || disagreements(document.fields).length > 0 ? 1 : 0
}

/** Without a network the rest can be measured all the same. */
function tryToInstall(): Peers | null {
  say('installing ccusage and DuckDB …')
  try {
    return installPeers()
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    return null
  }
}

async function measureGroups(
  names: readonly string[],
  scratch: string,
  settings: Settings,
): Promise<GroupResult> {
  const results: GroupResult[] = []
  let folder: BenchCorpus | null = null
  for (const name of names) {
    say(`${name} …`)
    if (name === 'usage' || name === 'folder') {
      folder ??= await stageFolder(scratch, settings.sizeBytes)
      results.push(await (name === 'usage' ? measureUsage : measureFolder)(folder, scratch, settings))
      continue
    }
    if (folder !== null) clear(folder.path)
    if (name === 'transcript') results.push(await measureTranscript(scratch, settings))
    else if (name === 'small-files') results.push(await measureSmallFiles(scratch, settings))
    else results.push({ measured: await measureOwnCase(name, scratch), fields: [] })
  }
  say('')
  return {
    measured: results.flatMap(({ measured }) => measured),
    fields: results.flatMap(({ fields }) => fields),
  }
}

/** As Claude Code keeps its sessions: below `projects`, where ccusage looks for them. */
async function stageFolder(scratch: string, sizeBytes: number): Promise<BenchCorpus> {
  const path = join(scratch, 'folder')
  const files = Math.max(4, Math.round(sizeBytes / FILE_BYTES))
  const recipe = { dialect: 'claude-session', sizeBytes, files, path } as const
  return generate('folder', recipe)
}

/** The largest of our own programs, and which it was. */
function peakOf(fields: readonly Field[]): Measured[] {
  const [worst] = fields
    .flatMap(({ title, timings }) => timings.map((timing) => ({ title, ...timing })))
    .flatMap(({ title, name, isOurs, peakRssBytes }) =>
      isOurs && peakRssBytes !== null ? [{ note: `${name}: ${title}`, value: peakRssBytes / 1e6 }] : [],
    )
    .toSorted((a, b) => b.value - a.value)
  return worst === undefined ? [] : [{ name: 'peak-rss', ...worst }]
}

async function measureVeryLarge(sizeBytes: number | null): Promise<Measured[]> {
  if (sizeBytes === null) return []
  say('one very large transcript …')
  const runs = await runLarge(sizeBytes, [availableParallelism()])
  say('')
  return runs.map(({ bytes, peakRssBytes }) => ({
    name: 'peak-rss-large',
    value: peakRssBytes / 1e6,
    note: `${(bytes / 1e9).toFixed(1)} GB`,
  }))
}
