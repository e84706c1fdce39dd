import { join } from 'node:path'
import { type Command, runCommand } from '../command.ts'
import type { BenchCorpus } from '../corpora.ts'
import { command, projectDir } from '../project.ts'
import {
  billFaults,
  knownTokens,
  parseCcusage,
  parseMillrace,
  parseSums,
  parseTokens,
  tokenFaults,
  type Tokens,
} from './answers.ts'
import type { GroupResult, Settings } from './group.ts'
import type { Peers } from './install.ts'
import { alternate, best, type Program, type Timing } from './program.ts'
import { hasProgram } from './tools.ts'

const OURS = 'millrace usage'
const CCUSAGE = 'ccusage claude daily --offline'
const DUCKDB = 'DuckDB, sum over lines'

/** Adds up the usage of every line that has one. Objects are what it is made for. */
const JQ_SUM =
  'reduce (inputs | .message?.usage? // empty) as $u ({input: 0, cacheRead: 0, cacheWrite: 0, output: 0}; ' +
  '.input += $u.input_tokens | .cacheRead += $u.cache_read_input_tokens | ' +
  '.cacheWrite += $u.cache_creation_input_tokens | .output += $u.output_tokens)'

/**
 * Usage of one folder by everybody who can tell it. Tokens have to be those that the generator wrote. DuckDB and jq add up
 * lines, which is less work and gives other sums, since the lines of one request repeat its usage: these have to be
 * what `JSON.parse` makes of them, and in one more run DuckDB counts each request once. The bill of ccusage has to be ours.
 */
export async function measureUsage(
  corpus: BenchCorpus,
  scratch: string,
  { rounds, peers }: Settings,
): Promise<GroupResult> {
  if (corpus.facts === null) throw new Error(`nothing is known of ${corpus.path}`)
  const known = knownTokens(corpus.facts)
  const sum = parseSums(runCommand(plainCommand(corpus))).lines
  const raced = await alternate(
    [
      ourUsage(corpus, known),
      ...(peers === null ? [] : [ccusage(peers, corpus, known), duckDb(peers, corpus, 'lines', sum)]),
    ],
    rounds,
    scratch,
  )
  const slow = await alternate(
    [
      plainUsage(corpus, known),
      ...(peers === null ? [] : [duckDb(peers, corpus, 'requests', known)]),
      ...(hasProgram('jq') ? [jq(corpus, sum)] : []),
    ],
    1,
    scratch,
  )
  const timings = [...raced, ...slow]
  return {
    measured: [...speedUp('usage-ccusage', timings, CCUSAGE), ...speedUp('usage-duckdb', timings, DUCKDB)],
    fields: [{ title: 'usage of the folder', bytes: corpus.bytes, ours: OURS, timings }],
  }
}

/** Our speed as a multiple of that of another program; nothing when it did not run. */
function speedUp(
  name: 'usage-ccusage' | 'usage-duckdb',
  timings: readonly Timing[],
  other: string,
): GroupResult['measured'] {
  const [ours, theirs] = [OURS, other].map((wanted) => timings.find((timing) => timing.name === wanted))
  if (ours === undefined || theirs === undefined) return []
  return [
    {
      name,
      value: best(theirs) / best(ours),
      note: theirs.faults.length > 0 ? 'answers differ' : 'same totals',
    },
  ]
}

function usageCommand({ path }: BenchCorpus): Command {
  return [process.execPath, command, 'usage', path, '--json']
}

function ourUsage(corpus: BenchCorpus, known: Tokens): Program {
  return {
    name: OURS,
    command: usageCommand(corpus),
    isOurs: true,
    faults: (said) => tokenFaults(parseMillrace(said).tokens, known),
  }
}

function ccusage({ ccusage: program }: Peers, corpus: BenchCorpus, known: Tokens): Program {
  const ours = parseMillrace(runCommand(usageCommand(corpus)))
  return {
    name: CCUSAGE,
    command: [process.execPath, program, 'claude', 'daily', '--json', '--offline'],
    // No settings of whoever runs this.
    environment: { CLAUDE_CONFIG_DIR: corpus.path, HOME: corpus.path },
    isOurs: false,
    faults: (said) => {
      const theirs = parseCcusage(said)
      return [...tokenFaults(theirs.tokens, known), ...billFaults(theirs, ours)]
    },
  }
}

/** @param what see `duckdb.ts` */
function duckDb(
  { duckdb }: Peers,
  corpus: BenchCorpus,
  what: 'lines' | 'requests',
  expected: Tokens,
): Program {
  const program = join(projectDir, 'dist/bench/peers/duckdb.js')
  return {
    name: what === 'lines' ? DUCKDB : 'DuckDB, each request once',
    command: [process.execPath, program, duckdb, what, join(corpus.path, 'projects/**/*.jsonl')],
    isOurs: false,
    faults: (said) => tokenFaults(parseTokens(said), expected),
  }
}

function plainCommand(corpus: BenchCorpus): Command {
  const program = join(projectDir, 'dist/bench/peers/plain.js')
  return [process.execPath, program, 'usage', '', ...corpus.files.map(({ path }) => path)]
}

function plainUsage(corpus: BenchCorpus, known: Tokens): Program {
  return {
    name: 'JSON.parse, each request once',
    command: plainCommand(corpus),
    isOurs: false,
    faults: (said) => tokenFaults(parseSums(said).requests, known),
  }
}

function jq(corpus: BenchCorpus, sum: Tokens): Program {
  return {
    name: 'jq, sum over lines',
    command: ['jq', '-n', '-c', JQ_SUM, ...corpus.files.map(({ path }) => path)],
    isOurs: false,
    faults: (said) => tokenFaults(parseTokens(said), sum),
  }
}
