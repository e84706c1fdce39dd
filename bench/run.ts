import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { entries, entriesForAny } from './cases.ts'
import type { CallCost } from './cases/vocabulary.ts'
import { formatFindings, judge, readGuard } from './guard.ts'
import { measureLarge } from './large.ts'
import { describeMachine } from './machine.ts'
import { measureOne } from './measure-one.ts'
import { measurePeers } from './peers/measure.ts'
import { say } from './progress.ts'
import { type BenchDocument, writeRecord } from './record.ts'
import { type BenchRequest, isWanted, parse } from './request.ts'
import { rowsOf, type Sampled } from './sampled.ts'
import { formatCalls, formatMachine, formatTable } from './table.ts'
import { openWorkplace } from './workplace.ts'

/** Room for all corpora, and for the copies and outputs of the largest. */
const ROOM_BYTES = 2.2e9

/** The name under which the calls of the record view are asked for. */
const CALLS = 'calls'

/** Measure what was asked for and print it; the exit code. */
async function run(request: BenchRequest): Promise<number> {
  if (request.peers !== null) return measurePeers(request.peers, request)
  if (request.largeBytes !== null) return measureLarge(request.largeBytes, request.largeAs)
  const machine = describeMachine()
  const workplace = openWorkplace(ROOM_BYTES)
  try {
    if (!request.json) console.log(`${formatMachine(machine, workplace.inMemory)}\n`)
    const { samples, calls } = await measureAll(request, workplace.folder)
    const document: BenchDocument = {
      format: 'millrace.bench/1',
      at: new Date().toISOString(),
      machine,
      inMemory: workplace.inMemory,
      corpus: request.corpus,
      rows: samples.flatMap(rowsOf),
      calls,
      samples,
    }
    return report(request, document)
  } finally {
    workplace.close()
  }
}

function report(request: BenchRequest, document: BenchDocument): number {
  const { rows, calls, machine } = document
  const findings = request.guard ? judge(rows, readGuard(), machine.cores, request.only.length > 0) : []
  if (request.json) {
    console.log(JSON.stringify(request.guard ? { ...document, guard: findings } : document))
  } else {
    console.log(formatTable(rows))
    if (calls.length > 0) console.log(`\n${formatCalls(calls)}`)
    if (request.guard) console.log(`\n${formatFindings(findings)}`)
  }
  if (request.record) console.error(`wrote ${writeRecord(document)}`)
  return findings.every(({ ok }) => ok) ? 0 : 1
}

async function measureAll(
  request: BenchRequest,
  folder: string,
): Promise<{ readonly samples: Sampled[]; readonly calls: readonly CallCost[] }> {
  const known =
    request.corpus === null
      ? [...entries.map(({ bench }) => bench.name), CALLS]
      : entriesForAny.map(({ bench }) => bench.name)
  const names = known.filter((name) => isWanted(name, request.only))
  if (names.length === 0) throw new TypeError(`--only knows ${known.join(', ')}`)
  const samples: Sampled[] = []
  let calls: readonly CallCost[] = []
  for (const name of names) {
    say(`${name} …`)
    const scratch = join(folder, 'scratch')
    mkdirSync(scratch)
    const answer = await measureOne({ case: name, corpora: folder, given: request.corpus, scratch })
    rmSync(scratch, { recursive: true, force: true })
    if (answer.kind === 'sampled') samples.push(answer.sampled)
    else calls = answer.calls
  }
  say('')
  return { samples, calls }
}

try {
  const request = parse(process.argv.slice(2))
  if (request !== null) process.exitCode = await run(request)
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = error instanceof TypeError ? 2 : 1
}
