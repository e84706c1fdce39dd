import { readFileSync, statSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { operationsOfHarness } from '../src/dialect/operations.ts'
import { Dialects } from '../src/dialect/registry.ts'
import { Scanner } from '../src/kernel/scanner.ts'
import { countRecords } from '../src/pipeline/count.ts'
import { readLarge } from '../src/pipeline/large.ts'
import { Pool } from '../src/pipeline/pool.ts'
import type { Census } from '../src/sink/census-counts.ts'
import { ownFolder } from './fault/folder.ts'
import { readCabinet } from './cabinet-schema.ts'
import { jsonLines } from './cli/command.ts'
import { converted, everyOption, jobOf, KeptOutput } from './pipeline/converting.ts'
import { DIALECTS, SAMPLES } from './samples.ts'
import { bare } from './sink/cabinet-writing.ts'

const WHOLE = 1 << 24
const CHUNK_SIZES = [64, 1024, 4099, WHOLE]
const SETTINGS = { usage: false, shell: 'classify', observedAt: null } as const

const samples = SAMPLES.flatMap(({ cabinet, ...sample }) => (cabinet === null ? [] : { ...sample, cabinet }))

test('every dialect has expected events of the Test Cabinet', () => {
  expect(new Set(samples.map(({ dialect }) => dialect))).toEqual(new Set(DIALECTS))
})

describe.each(samples)('$dialect/$name', ({ file, cabinet }) => {
  const expected = readFileSync(cabinet)

  test('follows the wire, line by line', () => {
    expect(readCabinet(expected).length).toBeGreaterThan(0)
  })

  test.each(CHUNK_SIZES)('converts in chunks of %i bytes', async (chunkBytes) => {
    const { bytes, results } = await converted([file], { chunkBytes, cabinet: {} })
    expect(bytes.toString('latin1')).toBe(expected.toString('latin1'))
    expect(results.reduce((events, result) => events + result.events, 0)).toBe(readCabinet(expected).length)
  })
})

describe('by all workers at once, as large transcripts are', () => {
  let pool: Pool
  beforeAll(() => {
    pool = new Pool(2)
  })
  afterAll(() => pool.close())

  const files = samples.filter(({ file }) => statSync(file).isFile())
  test.each(files)('$dialect/$name', async ({ file, cabinet }) => {
    const expected = readFileSync(cabinet)
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
  const folder = ownFolder('cabinet')

  test.each(samples)('$dialect/$name is written again as it was', async ({ dialect, name, cabinet }) => {
    const expected = readFileSync(cabinet)
    const file = join(folder, `${dialect}-${name}.jsonl`)
    await writeFile(file, expected)
    const { bytes } = await converted([file], { from: 'cabinet', cabinet: {} })
    expect(heldBack(bytes)).toEqual(heldBack(expected))
  })

  /** Samples that have other events than calls of the type that their operation has, and why. */
  const uncounted: Readonly<Record<string, string>> = {
    'claude-session/values.jsonl': 'inputs that lack what they have to hold are unknown',
    'codex-exec/one-run.jsonl': 'a call that changes two files is two events',
    'codex-rollout/outcomes.jsonl': 'a patch that changes no file is unknown',
  }
  const counted = samples.filter(({ dialect, name }) => !Object.hasOwn(uncounted, `${dialect}/${name}`))
  test.each(counted)(
    '$dialect/$name has the calls and errors of its transcript',
    async ({ dialect, name, file }) => {
      const events = join(folder, `${dialect}-${name}-commands.jsonl`)
      await writeFile(events, (await converted([file], { cabinet: { shell: 'command' } })).bytes)
      const calls = callsIn((await converted([file])).bytes)
      expect(countBy(calls, ({ tool }) => tool)).toEqual(countsOf(await censusOf(file, dialect)))
      const direct = countBy(calls, ({ type }) => type)
      const told = countsOf(await censusOf(events, 'cabinet'))
      for (const type of ['read', 'write', 'command', 'skill'])
        expect([type, told[type]]).toEqual([type, direct[type]])
      expect(sum(told['search'], told['list'])).toEqual(sum(direct['search'], direct['list']))
    },
  )
})

type Counts = readonly [calls: number, errors: number]

interface Call {
  readonly tool: string
  /** Of the Test Cabinet's types, by the operation. */
  readonly type: string
  isError: boolean
}

async function censusOf(file: string, from: string): Promise<Census> {
  const { report } = await countRecords({ paths: [file], from, jobs: 0, digest: false })
  return report.census
}

function countsOf({ tools }: Census): Record<string, Counts> {
  const asked = [...tools].filter(([, { requested }]) => requested > 0)
  return Object.fromEntries(asked.map(([tool, { requested, errors }]) => [tool, [requested, errors]]))
}

function countBy(calls: readonly Call[], keyOf: (call: Call) => string): Record<string, Counts> {
  const counts: Record<string, Counts> = {}
  for (const call of calls) counts[keyOf(call)] = sum(counts[keyOf(call)], [1, call.isError ? 1 : 0])
  return counts
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

/** The calls of streams of events. What a call does is told by its tool where the stream does not say it. */
function callsIn(streams: Buffer): Call[] {
  const calls: Call[] = []
  const open = new Map<string, Call[]>()
  let harness = ''
  for (const event of jsonLines(streams)) {
    const id = String(event['call_id'])
    if (event['event'] === 'session.started') harness = String(event['adapter'])
    if (event['event'] === 'tool.requested') {
      const tool = String(event['name'])
      const told: unknown = event['operations']
      const [operation] = Array.isArray(told) && told.length > 0 ? told : operationsOfHarness(harness, tool)
      const call = { tool, type: TYPES[String(operation)] ?? 'unknown', isError: false }
      calls.push(call)
      open.set(id, [...(open.get(id) ?? []), call])
    } else if (event['event'] === 'tool.result') {
      const call = open.get(id)?.shift()
      if (call !== undefined && event['is_error'] === true) call.isError = true
    }
  }
  return calls
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
