import { parseArgs } from 'node:util'
import type { Billed, Tokens } from '../src/event/billing.ts'
import { LedgerSink } from '../src/sink/ledger.ts'
import { BLOCK_ROWS } from '../src/usage/entry-row.ts'
import { EntryStore } from '../src/usage/entry-store.ts'
import { addLedger, emptyLineage } from '../src/usage/lineage.ts'
import { resolveLineage } from '../src/usage/resolution.ts'

const usage = `Measure the memory that a ledger takes: bytes a request, from the records of a corpus to its sums.

Usage: node --import tsx scripts/measure-ledger.ts [requests] [options]

      --transcript <n>  requests in one transcript (default 200; all of them for one large transcript)
      --limit <bytes>   exit 1 when a request took more (default 120)
  -h, --help            print this

Default: 10000000 requests, which take half a minute, each known by its own id, in sessions of three models; every 50th
is also in a second transcript. What is said is the peak of the resident set over what the process had before. The sums
are checked.
`

const MODELS = ['model-large-4', 'model-small-4', 'model-tiny-4']
const COPIED = 50

main()

function main(): void {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      transcript: { type: 'string', default: '200' },
      limit: { type: 'string', default: '120' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  const requests = Number(positionals[0] ?? 10_000_000)
  const each = Number(values.transcript)
  const limit = Number(values.limit)
  if (values.help || ![requests, each, limit].every((n) => Number.isSafeInteger(n) && n > 0)) {
    process.stderr.write(usage)
    process.exitCode = values.help ? 0 : 2
    return
  }
  process.exitCode = measure(requests, Math.min(each, requests)) <= limit ? 0 : 1
}

/** Bytes a request at the highest. @throws Error when a sum is wrong */
function measure(requests: number, each: number): number {
  // What code and first buffers take is not the ledger's.
  run(Math.min(requests, 20_000), each)
  const before = process.memoryUsage.rss()
  const started = process.cpuUsage()
  const peak = run(requests, each)
  const { user, system } = process.cpuUsage(started)
  const bytes = (peak - before) / requests
  const nanoseconds = ((user + system) * 1000) / requests
  process.stdout.write(
    `${requests} requests, ${each} a transcript: ${bytes.toFixed(1)} bytes and ${nanoseconds.toFixed(0)} ns of processor time a request\n`,
  )
  return bytes
}

function run(requests: number, each: number): number {
  const store = new EntryStore(BLOCK_ROWS)
  const lineage = emptyLineage()
  let peak = 0
  const look = (): void => {
    peak = Math.max(peak, process.memoryUsage.rss())
  }
  let transcripts = 0
  for (let first = 0; first < requests; first += each) {
    const sink = new LedgerSink()
    const end = Math.min(requests, first + each)
    for (let i = first; i < end; i++) {
      sink.billed(request(i, transcripts))
      if (i % 100_000 === 0) look()
    }
    const ledger = sink.finish()
    addLedger(lineage, { ...ledger, entries: store.adopt(ledger.entries) }, transcripts++)
  }
  addCopies(requests, transcripts, (ledger) => {
    addLedger(lineage, { ...ledger, entries: store.adopt(ledger.entries) }, transcripts)
  })
  look()
  const { entries, duplicateResponses } = resolveLineage(lineage)
  look()
  let counted = 0
  let output = 0
  for (const { entry } of entries) {
    counted += entry.requests
    output += entry.tokens.output ?? 0
  }
  look()
  check('requests', counted, requests)
  check('output tokens', output, (requests * (requests - 1)) / 2)
  check('copies', duplicateResponses, Math.ceil(requests / COPIED))
  return peak
}

/** A transcript that has every so manieth request a second time, as a resumed session does. */
function addCopies(
  requests: number,
  transcript: number,
  add: (ledger: ReturnType<LedgerSink['finish']>) => void,
): void {
  const sink = new LedgerSink()
  for (let i = 0; i < requests; i += COPIED) sink.billed(request(i, transcript))
  add(sink.finish())
}

function request(i: number, transcript: number): Billed {
  const tokens: Tokens = {
    input: i % 1000,
    cacheRead: 50_000 + (i % 7000),
    cacheWrite5m: i % 900,
    cacheWrite1h: 0,
    cacheWrite: 0,
    output: i,
    reasoning: null,
  }
  return {
    key: `claude:msg_${number(i, 24)}:req_${number(i * 7, 24)}`,
    process: null,
    session: `8a0f2c4e-0000-4000-8000-${number(transcript, 12)}`,
    model: MODELS[i % MODELS.length] ?? null,
    at: new Date(1_780_000_000_000 + transcript * 86_400_000 + i * 1000).toISOString(),
    tokens,
    webSearches: 0,
    final: true,
    reportedPicoUsd: null,
    serviceTier: 'standard',
    speed: null,
    geo: null,
    sidechain: false,
  }
}

function number(n: number, digits: number): string {
  return String(n).padStart(digits, '0')
}

function check(what: string, found: number, expected: number): void {
  if (found !== expected) throw new Error(`${what}: ${found}, expected ${expected}`)
}
