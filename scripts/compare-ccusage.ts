import { execFile } from 'node:child_process'
import { tmpdir } from 'node:os'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import { countUsage } from '../src/pipeline/count.ts'
import type { Figures } from '../src/usage/figures.ts'

const usage = `Compare what millrace and ccusage count, to the token, for each day and model.

Usage: node --import tsx scripts/compare-ccusage.ts --ccusage <program> <claude|codex> <folder>

      --ccusage <program>  the program itself, as npm install ccusage@20.0.24 puts it into node_modules/.bin
      --zone <name>        time zone of days (default: UTC)
  -h, --help               print this

The folder is what CLAUDE_CONFIG_DIR or CODEX_HOME would name: it holds projects/ or sessions/. Prices are not
compared; both totals are printed. Exits with 1 when a count differs.
`

/** Tokens of one day and model. Cache writes of all lifetimes together, as ccusage has them. */
interface Counts {
  readonly input: number
  readonly cacheRead: number
  readonly cacheWrite: number
  readonly output: number
}

/** What one of the two counted, by `<day> <model>`. */
interface Bill {
  readonly rows: ReadonlyMap<string, Counts>
  readonly usd: number
}

const HARNESSES = { claude: 'CLAUDE_CONFIG_DIR', codex: 'CODEX_HOME' } as const
type Harness = keyof typeof HARNESSES

async function ourBill(folder: string, zone: string): Promise<Bill> {
  const { report } = await countUsage({ paths: [folder], by: ['day', 'model'], zone })
  const rows = new Map<string, Counts>()
  for (const { keys, figures } of report.usage.rows) rows.set(keys.join(' '), countsOf(figures))
  return { rows, usd: Number(report.usage.totals.computedPicoUsd ?? 0n) / 1e12 }
}

function countsOf({ tokens }: Figures): Counts {
  return {
    input: tokens.input ?? 0,
    cacheRead: tokens.cacheRead ?? 0,
    cacheWrite: (tokens.cacheWrite5m ?? 0) + (tokens.cacheWrite1h ?? 0) + (tokens.cacheWrite ?? 0),
    output: tokens.output ?? 0,
  }
}

async function itsBill(program: string, harness: Harness, folder: string, zone: string): Promise<Bill> {
  // Its other harnesses are looked for below the home folder, where there shall be none.
  const env = { ...process.env, HOME: resolve(tmpdir(), 'no-home'), [HARNESSES[harness]]: resolve(folder) }
  const args = [harness, 'daily', '--json', '--offline', '--timezone', zone]
  const { stdout } = await promisify(execFile)(program, args, { env, maxBuffer: 1 << 28 })
  const said: unknown = JSON.parse(stdout)
  const rows = new Map<string, Counts>()
  for (const day of itemsAt(said, 'daily')) {
    const date = at(day, 'date')
    for (const [model, counts] of modelsOf(day)) rows.set(`${String(date)} ${model}`, counts)
  }
  const totals = at(said, 'totals')
  return { rows, usd: count(totals, 'totalCost') + count(totals, 'costUSD') }
}

/** Models of one day: a list for Claude, a map for Codex. */
function modelsOf(day: unknown): [string, Counts][] {
  const listed = itemsAt(day, 'modelBreakdowns').map((one): [string, unknown] => [
    String(at(one, 'modelName')),
    one,
  ])
  const mapped = Object.entries(at(day, 'models') ?? {})
  return (listed.length > 0 ? listed : mapped).map(([model, one]) => [
    model,
    {
      input: count(one, 'inputTokens'),
      cacheRead: count(one, 'cacheReadTokens'),
      cacheWrite: count(one, 'cacheCreationTokens'),
      output: count(one, 'outputTokens'),
    },
  ])
}

function at(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null
    ? Object.entries(value).find(([key]) => key === name)?.[1]
    : undefined
}

function itemsAt(value: unknown, name: string): readonly unknown[] {
  const items = at(value, name)
  return Array.isArray(items) ? items : []
}

function count(value: unknown, name: string): number {
  const found = at(value, name)
  return typeof found === 'number' ? found : 0
}

/** Rows in which the two differ, in words. */
export function differences(ours: Bill['rows'], its: Bill['rows']): string[] {
  const found: string[] = []
  for (const key of [...new Set([...ours.keys(), ...its.keys()])].toSorted()) {
    const [left, right] = [ours.get(key), its.get(key)]
    for (const name of ['input', 'cacheRead', 'cacheWrite', 'output'] as const) {
      const [own, other] = [left?.[name] ?? 0, right?.[name] ?? 0]
      if (own !== other) found.push(`${key}: ${name} is ${own} for millrace, ${other} for ccusage`)
    }
  }
  return found
}

function tokensOf({ rows }: Bill): number {
  let sum = 0
  for (const { input, cacheRead, cacheWrite, output } of rows.values())
    sum += input + cacheRead + cacheWrite + output
  return sum
}

async function main(argv: readonly string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      ccusage: { type: 'string' },
      zone: { type: 'string', default: 'UTC' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  if (values.help) return console.log(usage)
  const [name, folder] = positionals
  const harness = name === 'claude' || name === 'codex' ? name : null
  if (harness === null || folder === undefined || values.ccusage === undefined) throw new TypeError(usage)
  const ours = await ourBill(folder, values.zone)
  const its = await itsBill(values.ccusage, harness, folder, values.zone)
  const found = differences(ours.rows, its.rows)
  for (const difference of found) console.log(difference)
  console.log(`rows of days and models: ${ours.rows.size} and ${its.rows.size}, ${found.length} differences`)
  console.log(`tokens: ${tokensOf(ours)} for millrace, ${tokensOf(its)} for ccusage`)
  console.log(`USD: ${ours.usd.toFixed(6)} for millrace, ${its.usd.toFixed(6)} for ccusage`)
  if (found.length > 0) process.exitCode = 1
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  main(process.argv.slice(2)).catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : error)
    process.exitCode = error instanceof TypeError ? 2 : 1
  })
}
