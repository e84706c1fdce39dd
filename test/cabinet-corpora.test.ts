import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { operationsOfHarness } from '../src/dialect/operations.ts'
import { Dialects } from '../src/dialect/registry.ts'
import { Scanner } from '../src/kernel/scanner.ts'
import { countRecords } from '../src/pipeline/count.ts'
import { readLarge } from '../src/pipeline/large.ts'
import { Pool } from '../src/pipeline/pool.ts'
import type { Census } from '../src/sink/census-counts.ts'
import { readCabinet } from './cabinet-schema.ts'
import { converted, everyOption, jobOf, KeptOutput } from './pipeline/converting.ts'
import { projectDir } from './shared.ts'
import { bare } from './sink/cabinet-writing.ts'

const ENDING = '.cabinet.jsonl'
const INPUTS = ['.jsonl', '.json', '.sse', '.txt']
const WHOLE = 1 << 24
const CHUNK_SIZES = [64, 1024, 4099, WHOLE]
const SETTINGS = { usage: false, shell: 'classify', observedAt: null } as const

interface Sample {
  readonly dialect: string
  readonly name: string
  readonly file: string
  readonly expected: Buffer
}

const corpora = join(projectDir, 'corpora')
const samples = readdirSync(corpora).flatMap((dialect): Sample[] => {
  const folder = join(corpora, dialect)
  if (!statSync(folder).isDirectory()) return []
  return readdirSync(folder)
    .filter((name) => name.endsWith(ENDING))
    .map((written) => {
      const name = written.slice(0, -ENDING.length)
      const ending = INPUTS.find((suffix) => existsSync(join(folder, name + suffix))) ?? ''
      const expected = readFileSync(join(folder, written))
      return { dialect, name, file: join(folder, name + ending), expected }
    })
})

test('nearly every dialect has expected events of the Test Cabinet', () => {
  expect(new Set(samples.map(({ dialect }) => dialect)).size).toBeGreaterThanOrEqual(27)
})

describe.each(samples)('$dialect/$name', ({ file, expected }) => {
  test('follows the wire, line by line', () => {
    expect(readCabinet(expected).length).toBeGreaterThan(0)
  })

  test.each(CHUNK_SIZES)('converts in chunks of %i bytes', async (chunkBytes) => {
    const { bytes, results } = await converted([file], { chunkBytes, cabinet: {} })
    expect(bytes.toString('latin1')).toBe(expected.toString('latin1'))
    expect(results[0]?.events).toBe(readCabinet(expected).length)
  })
})

describe('by all workers at once, as large transcripts are', () => {
  let pool: Pool
  beforeAll(() => {
    pool = new Pool(2)
  })
  afterAll(() => pool.close())

  test.each(samples)('$dialect/$name', async ({ file, expected }) => {
    const job = jobOf(file, statSync(file).size)
    const scanner = new Scanner()
    const dialects = new Dialects()
    for (const chunkBytes of [64, 4099, WHOLE]) {
      const stream = new KeptOutput()
      const options = everyOption({ chunkBytes, cabinet: SETTINGS })
      await readLarge(job, options, { scanner, dialects, stream }, pool)
      expect(stream.kept().toString('latin1')).toBe(expected.toString('latin1'))
    }
  })
})

describe('read back', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millrace-cabinet-'))
  })
  afterAll(() => rm(folder, { recursive: true }))

  test.each(samples)('$dialect/$name is written again as it was', async ({ dialect, name, expected }) => {
    const file = join(folder, `${dialect}-${name}.jsonl`)
    await writeFile(file, expected)
    const { bytes } = await converted([file], { from: 'cabinet', cabinet: {} })
    expect(heldBack(bytes)).toEqual(heldBack(expected))
  })

  /** Samples whose events have other counts than their calls by the name of the tool, and why. */
  const uncounted: Readonly<Record<string, string>> = {
    'b10x/approvals-and-hooks': 'calls of tools behind another tool',
    'cabinet/run': 'has types, not tools',
    'claude-session/values': 'inputs without what they have to hold',
    'codex-exec/one-run': 'one call changes two files',
    'codex-rollout/outcomes': 'a patch that changes no file',
    'goose-session/20250711_1': 'one tool reads, writes and lists, by its input',
    'goose-stream/fragments': 'one tool reads, writes and lists, by its input',
  }
  const counted = samples.filter(({ dialect, name }) => !Object.hasOwn(uncounted, `${dialect}/${name}`))
  test.each(counted)(
    '$dialect/$name has the calls and errors of its transcript',
    async ({ dialect, name, file }) => {
      const events = join(folder, `${dialect}-${name}-commands.jsonl`)
      const { bytes, results } = await converted([file], { cabinet: { shell: 'command' } })
      await writeFile(events, bytes)
      const harness = results[0]?.adapterSlug ?? dialect
      const direct = byType(await censusOf(file, dialect), (tool) => typeOf(harness, tool))
      const told = byType(await censusOf(events, 'cabinet'), (tool) => tool)
      for (const type of ['read', 'write', 'command', 'skill'])
        expect([type, told[type]]).toEqual([type, direct[type]])
      expect(sum(told['search'], told['list'])).toEqual(sum(direct['search'], direct['list']))
    },
  )
})

type Counts = readonly [calls: number, errors: number]

async function censusOf(file: string, from: string): Promise<Census> {
  const { report } = await countRecords({ paths: [file], from, jobs: 0, digest: false })
  return report.census
}

function byType(census: Census, typeOfTool: (tool: string) => string): Record<string, Counts> {
  const types: Record<string, Counts> = {}
  for (const [tool, { requested, errors }] of census.tools) {
    if (requested === 0) continue
    const type = typeOfTool(tool)
    types[type] = sum(types[type], [requested, errors])
  }
  return types
}

const TYPES: Readonly<Record<string, string>> = {
  'file.read': 'read',
  'file.write': 'write',
  'file.edit': 'write',
  shell: 'command',
  'skill.load': 'skill',
  search: 'search',
  find: 'search',
  'dir.list': 'list',
}

function typeOf(harness: string, tool: string): string {
  return TYPES[operationsOfHarness(harness, tool)[0] ?? ''] ?? 'unknown'
}

function sum(a: Counts = [0, 0], b: Counts = [0, 0]): Counts {
  return [a[0] + b[0], a[1] + b[1]]
}

/** What is held of events when they are read: that a subagent was begun has no success of its own. */
function heldBack(bytes: Buffer): object[] {
  const events = bare(readCabinet(bytes)).filter((event) => !endsWithout(event))
  return events.map((event) =>
    'action' in event && event.action === 'subagent_started' ? { ...event, isSuccess: undefined } : event,
  )
}

/** The warning that nothing says how the run ended, which is said of events that are read back as well. */
function endsWithout(event: object): boolean {
  return 'code' in event && event.code === 'NO_TERMINAL_RECORD'
}
