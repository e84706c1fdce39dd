import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { convert } from '../../src/pipeline/convert.ts'
import { countRecords } from '../../src/pipeline/count.ts'
import { censusJson } from '../../src/report/census-json.ts'
import { ownFolder } from '../fault/folder.ts'
import { SAMPLES } from '../samples.ts'
import { projectDir } from '../shared.ts'
import { type UsageDocument, usageOf } from './counting.ts'

const folder = ownFolder('same-run')

let corpora = 0

/** A corpus of files with these contents: text, or a file to copy. */
function corpusOf(files: Readonly<Record<string, string | { readonly copyOf: string }>>): string {
  const root = join(folder, `corpus-${corpora++}`)
  for (const [path, content] of Object.entries(files)) {
    const file = join(root, path)
    mkdirSync(join(file, '..'), { recursive: true })
    if (typeof content === 'string') writeFileSync(file, content)
    else copyFileSync(content.copyOf, file)
  }
  return root
}

/** A census but for what it says of the files it was taken of. */
async function censusOf(root: string, jobs = 0): Promise<object> {
  const { report } = await countRecords({ paths: [root], jobs })
  const { notices: _, ...counts } = JSON.parse(censusJson(report))
  return counts
}

function twice({ notices }: UsageDocument): [string, string | null, number, string][] {
  return notices
    .filter(({ code }) => code === 'same-run-twice' || code === 'same-bytes')
    .map(({ code, path, count, message }) => [
      code,
      path,
      count,
      / (\S+)(?: too|, which)/.exec(message)?.[1] ?? '',
    ])
}

const SESSION = '5b1c7c9e-0b1d-4c57-9d15-3a8a4be21f60'

/** A line of the session file, or without `at` one of the stream, for the same message. */
function line(id: string, output: number, at?: string): string {
  const body = {
    id,
    type: 'message',
    role: 'assistant',
    model: 'claude-sonnet-4-5-20250929',
    content: [{ type: 'text', text: `said in ${id}` }],
    stop_reason: at === undefined ? null : 'end_turn',
    usage: {
      input_tokens: 10,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 100,
      output_tokens: output,
    },
  }
  const record =
    at === undefined
      ? { type: 'assistant', message: body, parent_tool_use_id: null, session_id: SESSION, uuid: `u-${id}` }
      : {
          parentUuid: null,
          isSidechain: false,
          cwd: '/home/dev/kiln',
          sessionId: SESSION,
          version: '2.1.40',
          type: 'assistant',
          requestId: `req_${id}`,
          message: body,
          uuid: `u-${id}`,
          timestamp: at,
        }
  return `${JSON.stringify(record)}\n`
}

const INIT = `${JSON.stringify({
  type: 'system',
  subtype: 'init',
  session_id: SESSION,
  cwd: '/home/dev/kiln',
  tools: [],
  mcp_servers: [],
  slash_commands: [],
  model: 'claude-sonnet-4-5-20250929',
  claude_code_version: '2.1.40',
  uuid: 'u-init',
})}\n`

const RESULT = `${JSON.stringify({
  type: 'result',
  subtype: 'success',
  is_error: false,
  num_turns: 2,
  result: 'done',
  session_id: SESSION,
  total_cost_usd: 0.5,
  usage: {},
  modelUsage: {
    'claude-sonnet-4-5-20250929': {
      inputTokens: 20,
      outputTokens: 70,
      cacheReadInputTokens: 200,
      cacheCreationInputTokens: 0,
      webSearchRequests: 0,
      costUSD: 0.4,
    },
    'claude-haiku-4-5-20251001': {
      inputTokens: 7,
      outputTokens: 3,
      cacheReadInputTokens: 0,
      cacheCreationInputTokens: 0,
      webSearchRequests: 0,
      costUSD: 0.1,
    },
  },
  uuid: 'u-result',
})}\n`

const STORED = [
  line('msg_1', 30, '2026-11-02T09:00:00.000Z'),
  line('msg_2', 40, '2026-11-02T09:00:10.000Z'),
  // Of a later process of the same session, which nobody captured.
  line('msg_3', 50, '2026-11-03T09:00:00.000Z'),
].join('')
const PRINTED = [INIT, line('msg_1', 1), line('msg_2', 2)].join('')

describe('a capture of Claude beside its session file', () => {
  test.each([
    { name: 'capture first', stream: 'a.jsonl', session: `b/${SESSION}.jsonl` },
    { name: 'session first', stream: 'z.jsonl', session: `b/${SESSION}.jsonl` },
  ])('counts the total of the process and what it does not hold: $name', async ({ stream, session }) => {
    const report = await usageOf([corpusOf({ [stream]: PRINTED + RESULT, [session]: STORED })])
    expect(report.rows.map(({ model, requests, tokens }) => [model, requests, tokens['total']])).toEqual([
      ['claude-haiku-4-5-20251001', 1, 10],
      ['claude-sonnet-4-5-20250929', 3, 20 + 70 + 200 + 160],
    ])
    expect(twice(report)).toEqual([['same-run-twice', session, 2, stream]])
    expect(report.corpus['duplicate_responses']).toBe(2)
    // The session file tells all that the capture does.
    const stored = await censusOf(corpusOf({ [session]: STORED }))
    const both = corpusOf({ [stream]: PRINTED + RESULT, [session]: STORED })
    const { models, ...counts } = JSON.parse(JSON.stringify(await censusOf(both)))
    expect(stored).toMatchObject(counts)
    expect(models).toEqual({ 'claude-haiku-4-5-20251001': 1, 'claude-sonnet-4-5-20250929': 3 })
  })

  test.each(['a.jsonl', 'z.jsonl'])('without a total the final numbers count: capture %s', async (stream) => {
    const session = `b/${SESSION}.jsonl`
    const report = await usageOf([corpusOf({ [stream]: PRINTED, [session]: STORED })])
    expect(report.totals).toMatchObject({ requests: 3, tokens: { output: 120, total: 120 + 330 } })
    expect(twice(report)).toEqual([['same-run-twice', stream, 2, session]])
  })
})

/** Counters of Codex, of a request or of all so far. */
function counters(input: number, output: number) {
  const inner = { cached_input_tokens: 0, reasoning_output_tokens: 0 }
  return { input_tokens: input, output_tokens: output, total_tokens: input + output, ...inner }
}

function linesOf(records: readonly object[]): string {
  return records.map((one) => `${JSON.stringify(one)}\n`).join('')
}

describe('a run of codex exec beside its rollout', () => {
  const thread = '0192aa10-7d3c-7c1e-9d44-52f3d3a1b7c0'
  const at = '2026-11-02T09:00:00.000Z'
  const rollout = [
    { timestamp: at, type: 'session_meta', payload: { id: thread, timestamp: at, cwd: '/home/dev/kiln' } },
    { timestamp: at, type: 'turn_context', payload: { cwd: '/home/dev/kiln', model: 'gpt-5.1-codex' } },
    {
      timestamp: at,
      type: 'event_msg',
      payload: {
        type: 'token_count',
        info: { total_token_usage: counters(100, 20), last_token_usage: counters(100, 20) },
      },
    },
  ]
  const exec = [
    { type: 'thread.started', thread_id: thread },
    { type: 'turn.started' },
    { type: 'item.completed', item: { id: 'item_0', type: 'agent_message', text: 'done' } },
    { type: 'turn.completed', usage: { input_tokens: 100, cached_input_tokens: 0, output_tokens: 20 } },
  ]
  test.each(['a.jsonl', 'z.jsonl'])('counts the requests of the rollout: stream %s', async (stream) => {
    const kept = 'rollout-2026-11-02T09-00-00.jsonl'
    const report = await usageOf([corpusOf({ [stream]: linesOf(exec), [kept]: linesOf(rollout) })])
    expect(report.rows).toMatchObject([{ model: 'gpt-5.1-codex', requests: 1, tokens: { total: 120 } }])
    expect(twice(report)).toEqual([['same-run-twice', stream, 1, kept]])
  })
})

/** Our stream of events of a transcript. */
async function eventsOf(text: string): Promise<string> {
  const root = corpusOf({ 'source.jsonl': text })
  const made = join(root, 'made.events.jsonl')
  const source = join(root, 'source.jsonl')
  await convert({ paths: [source], to: () => ({ kind: 'file', path: made }), jobs: 0 })
  return readFileSync(made, 'utf8')
}

describe('three forms of one run', () => {
  const orders = [
    ['a', 'b', 'c'],
    ['a', 'c', 'b'],
    ['b', 'a', 'c'],
    ['b', 'c', 'a'],
    ['c', 'a', 'b'],
    ['c', 'b', 'a'],
  ] as const

  test('count once in any order of their names: session file, capture, and a stream made of either', async () => {
    const expected = await usageOf([corpusOf({ 'a.jsonl': PRINTED + RESULT, 'b.jsonl': STORED })])
    for (const source of [STORED, PRINTED + RESULT]) {
      const stream = await eventsOf(source)
      for (const [session, capture, made] of orders) {
        const files = {
          [`${session}.jsonl`]: STORED,
          [`${capture}.jsonl`]: PRINTED + RESULT,
          [`${made}.jsonl`]: stream,
        }
        const report = await usageOf([corpusOf(files)])
        expect(report.rows).toEqual(expected.rows)
        const left = twice(report).filter(([, path]) => path === `${made}.jsonl`)
        expect(left.map(([code]) => code)).toEqual(['same-run-twice'])
      }
    }
  })

  test('a stream counts where the transcript it was made of broke off and knows less', async () => {
    const stream = await eventsOf(STORED)
    const cut = STORED.slice(0, STORED.lastIndexOf('output_tokens'))
    for (const names of [
      ['a', 'b'],
      ['b', 'a'],
    ] as const) {
      const files = { [`${names[0]}.jsonl`]: cut, [`${names[1]}.jsonl`]: stream }
      const report = await usageOf([corpusOf(files)])
      expect(report.totals).toMatchObject({ requests: 3, tokens: { output: 120 } })
      expect(twice(report).map(([, path]) => path)).toEqual([`${names[0]}.jsonl`])
    }
  })

  test('one session id of two harnesses is two sessions', async () => {
    const stream = (await eventsOf(STORED)).replaceAll('"adapter":"claude"', '"adapter":"gemini"')
    const report = await usageOf([corpusOf({ 'a.jsonl': STORED, 'b.jsonl': stream })])
    expect(report.totals.requests).toBe(6)
    expect(twice(report)).toEqual([])
  })
})

const LINES = SAMPLES.filter(({ name }) => /\.jsonl?$/.test(name))
/** Samples that are streams of events already, or say nothing of usage, have nothing to compare. */
const TOLD = LINES.filter(({ dialect }) => dialect !== 'metaharness' && dialect !== 'unknown')

describe('every sample', () => {
  test.each(LINES)(
    '$dialect/$name beside a copy under another name is counted once',
    async ({ name, file }) => {
      const root = corpusOf({ [`k/${name}`]: { copyOf: file } })
      const alone = await usageOf([root])
      const copied = corpusOf({ [`k/${name}`]: { copyOf: file }, [`a/copy-${name}`]: { copyOf: file } })
      const both = await usageOf([copied])
      expect(both.totals).toEqual(alone.totals)
      const isBilled = alone.rows.length > 0
      expect(await censusOf(copied)).toEqual(await censusOf(root))
      expect(twice(both).some(([code]) => code === 'same-bytes')).toBe(isBilled)
    },
  )

  test.each(TOLD)(
    '$dialect/$name beside a stream of events made of it is counted once, as its harness tells it',
    async ({ dialect, name, file }) => {
      const root = corpusOf({ [`k/${name}`]: { copyOf: file } })
      const alone = await usageOf([root])
      const made = join(folder, `made-${dialect}-${name}.events.jsonl`)
      await convert({ paths: [join(root, 'k', name)], to: () => ({ kind: 'file', path: made }), jobs: 0 })
      for (const stream of ['a.events.jsonl', 'z.events.jsonl']) {
        const beside = corpusOf({ [`k/${name}`]: { copyOf: file }, [stream]: { copyOf: made } })
        const both = await usageOf([beside])
        expect(both.rows).toEqual(alone.rows)
        // Of two streams that others make of what a harness wrote, ours says more.
        const left = dialect === 'cabinet' ? `k/${name}` : stream
        const found = twice(both).some(([code, noticed]) => code === 'same-run-twice' && noticed === left)
        expect(found).toBe(alone.totals.requests > 0)
        // Then its records are not counted a second time either.
        const once = found && left === stream ? beside : root
        expect(await censusOf(once)).toEqual(await censusOf(root))
      }
    },
  )
})

test('copies are told apart from transcripts of the same length', async () => {
  const other = PRINTED.replace('"output_tokens":2', '"output_tokens":3').replaceAll('msg_', 'mss_')
  const report = await usageOf([corpusOf({ 'a.jsonl': PRINTED, 'b.jsonl': other, 'c.jsonl': other })])
  expect(report.totals).toMatchObject({ requests: 4 })
  expect(twice(report)).toEqual([['same-bytes', 'c.jsonl', 1, 'b.jsonl']])
})

test('a compressed copy is a copy, with any number of threads', async () => {
  const sample = join(projectDir, 'corpora/b10x/loop.jsonl')
  const root = corpusOf({ 'runs/loop.jsonl': { copyOf: sample } })
  const alone = await usageOf([root])
  writeFileSync(join(root, 'backup.jsonl.gz'), gzipSync(readFileSync(sample)))
  for (const jobs of [0, 2]) {
    const both = await usageOf([root], { jobs })
    expect(both.totals).toEqual(alone.totals)
    expect(twice(both)).toEqual([['same-bytes', 'runs/loop.jsonl', 1, 'backup.jsonl.gz']])
  }
})
