import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parquetReadObjects } from 'hyparquet'
import { describe, expect, test } from 'vitest'
import { GROUP_KEYS } from '../../src/usage/group.ts'
import { ownFolder } from '../fault/folder.ts'
import { projectDir } from '../shared.ts'
import { millrace } from './command.ts'

const folder = ownFolder('reports')
const demo = join(projectDir, 'corpora', 'demo')
const corpus = (name: string): string => join(projectDir, 'corpora', name)
interface Usage {
  readonly zone: string
  readonly by: readonly string[]
  readonly rows: readonly Record<string, unknown>[]
  readonly totals: { readonly tokens: Record<string, number>; readonly requests: number }
}

async function usage(...args: string[]): Promise<Usage> {
  const { code, stdout, stderr } = await millrace(['usage', demo, '--json', '--quiet', ...args])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return JSON.parse(stdout.toString())
}

describe('usage', () => {
  test('is one JSON document, keys in the published order', async () => {
    const { stdout } = await millrace(['usage', demo, '--json'])
    const text = stdout.toString()
    expect(text.endsWith('\n')).toBe(true)
    expect(text.trimEnd()).not.toContain('\n')
    const report: Record<string, unknown> = JSON.parse(text)
    expect(Object.keys(report)).toEqual([
      'format',
      'zone',
      'by',
      'prices',
      'rows',
      'totals',
      'unpriced',
      'corpus',
      'notices',
    ])
  })

  test('as Parquet adds up to the totals of the JSON, in a file and on standard output', async () => {
    const { totals } = await usage()
    const path = join(folder, 'usage.parquet')
    const by = ['--by', 'day,model']
    const written = await millrace(['usage', demo, ...by, '--parquet', path, '--quiet'])
    expect(written).toMatchObject({ code: 0, stderr: '' })
    expect(written.stdout).toHaveLength(0)
    const { stdout } = await millrace(['usage', demo, ...by, '--parquet', '-'])
    expect(stdout.equals(readFileSync(path))).toBe(true)
    const rows = await parquetReadObjects({ file: new Uint8Array(stdout).buffer })
    const sum = rows.reduce((all, row) => all + BigInt(row['tokens_total'] ?? 0), 0n)
    expect(sum).toBe(BigInt(totals.tokens['total'] ?? -1))
    const both = await millrace(['usage', demo, '--parquet', '-', '--json'])
    expect(both.code).toBe(2)
  })

  test.each(GROUP_KEYS)('by %s adds up to the total', async (key) => {
    const whole = await usage()
    const { by, rows, totals } = await usage('--by', key, '--zone', 'Europe/Madrid')
    expect(by).toEqual([key])
    expect(totals.tokens).toEqual(whole.totals.tokens)
    expect(totals.requests).toBe(whole.totals.requests)
    expect(rows.every((row) => key in row)).toBe(true)
    const sum = rows.reduce((all, row) => all + Number(row['requests']), 0)
    expect(sum).toBe(totals.requests)
  })

  test('nests keys in the order given, and sorts its rows, null last', async () => {
    const { by, rows } = await usage('--by', 'model,day', '--zone', 'UTC')
    expect(by).toEqual(['model', 'day'])
    const keys = rows.map((row) => [row['model'] ?? '\uffff', row['day'] ?? '\uffff'].join(' '))
    expect(keys).toEqual(keys.toSorted())
  })

  test('of some days leaves the others out', async () => {
    const { rows } = await usage(
      '--by',
      'day',
      '--zone',
      'UTC',
      '--since',
      '2026-04-02',
      '--until',
      '2026-04-02',
    )
    expect(rows.map((row) => row['day'])).toEqual(['2026-04-02'])
  })

  test('as CSV is a header and a line a row', async () => {
    const { stdout } = await millrace(['usage', demo, '--csv', '--by', 'day,model'])
    const [header, ...lines] = stdout.toString().trimEnd().split(/\r?\n/)
    expect(header).toMatch(/^day,model,requests,tokens_input,tokens_cache_read,/)
    const { rows } = await usage('--by', 'day,model')
    expect(lines).toHaveLength(rows.length)
  })

  test('by a rate card prices by the card', async () => {
    const card = join(folder, 'card.json')
    const models = {
      'claude-sonnet-4-5-20250929': {
        input_usd_per_mtok: 1,
        cached_input_usd_per_mtok: 0,
        output_usd_per_mtok: 2,
      },
    }
    writeFileSync(card, JSON.stringify({ source: 'the card', as_of: '2026-01-01', models }))
    const { code, stdout } = await millrace([
      'usage',
      corpus('b10x/structured-answer.jsonl'),
      '--rates',
      card,
      '--json',
    ])
    expect(code).toBe(0)
    const report = JSON.parse(stdout.toString())
    expect(report.prices.source).toContain('the card')
    // 1,200 outside the cache at 1 and 60 written at 2, USD for a million.
    expect(report.totals.cost.computed_pico_usd).toBe(String(1_320_000_000))
  })

  test('with --digest has the digest of the corpus, else null', async () => {
    const without = JSON.parse((await millrace(['usage', demo, '--json'])).stdout.toString())
    const withDigest = JSON.parse((await millrace(['census', demo, '--json', '--digest'])).stdout.toString())
    expect(without.corpus.digest).toBeNull()
    expect(withDigest.digest).toMatch(/^[0-9a-f]{64}$/)
  })
})

describe('census', () => {
  test('is one JSON document, keys in the published order', async () => {
    const { code, stdout } = await millrace(['census', demo, '--json'])
    expect(code).toBe(0)
    const report: Record<string, unknown> = JSON.parse(stdout.toString())
    expect(Object.keys(report).join(' ')).toBe(
      'format transcripts sessions subagent_transcripts human_turns records events tools decisions permission_denials ' +
        'warnings opaque unparsed models subagents auth_expired rate_limits bytes lines digest notices',
    )
    expect(Object.keys(report['events'] as object)).toHaveLength(20)
  })
})

describe('check', () => {
  const verdicts: Record<string, [string, string, string[]]> = {
    'complete.jsonl': ['ok', 'complete', []],
    'budget.jsonl': ['ok', 'complete', []],
    'killed.jsonl': ['ok', 'complete', []],
    'truncated.jsonl': ['damaged', 'truncated', []],
    'inconsistent.jsonl': ['refused', 'inconsistent', ['Malformed']],
    'refusals.jsonl': ['refused', 'complete', ['NotAnObject', 'UnknownFormat', 'UnknownName', 'Malformed']],
  }

  test.each(Object.entries(verdicts))(
    'judges metaharness/%s',
    async (name, [verdict, completeness, refusals]) => {
      const { code, stdout } = await millrace(['check', corpus(`metaharness/${name}`), '--json'])
      expect(code).toBe(verdict === 'ok' ? 0 : 1)
      const line = JSON.parse(stdout.toString())
      expect(Object.keys(line)).toEqual([
        'format',
        'path',
        'dialect',
        'verdict',
        'completeness',
        'refusals',
        'opaque',
        'negative_claims',
        'notices',
      ])
      expect(line).toMatchObject({
        format: 'millrace.check/1',
        path: name,
        dialect: 'metaharness',
        verdict,
        completeness,
      })
      expect(line.refusals.map((refused: { refusal: string }) => refused.refusal)).toEqual(refusals)
    },
  )

  test('is strict by default, and tolerant of a converter when asked', async () => {
    const path = corpus('metaharness/b10x-converter.jsonl')
    const strict = JSON.parse((await millrace(['check', path, '--json'])).stdout.toString())
    const tolerant = JSON.parse((await millrace(['check', path, '--json', '--tolerant'])).stdout.toString())
    expect(strict.verdict).toBe('refused')
    expect(tolerant.refusals).toEqual([])
  })

  test('has a line a transcript and ends with 1 when one is not ok', async () => {
    const { code, stdout } = await millrace(['check', corpus('metaharness'), '--json'])
    expect(code).toBe(1)
    const lines = stdout.toString().trimEnd().split('\n')
    expect(lines.length).toBeGreaterThan(8)
    for (const line of lines) expect(JSON.parse(line)).toHaveProperty('verdict')
  })

  test('asks twice about every line when told to', async () => {
    const { code, stderr } = await millrace(['check', corpus('claude-session/values.jsonl'), '--cross-check'])
    // Without the native part of an optional package it says so instead.
    expect(stderr.includes('simdjson') ? 2 : 0).toBe(code)
  })
})

describe('--fail-on', () => {
  test.each([
    ['claude-stream/unknown-records.jsonl', 'opaque', 1],
    ['claude-stream/unknown-records.jsonl', 'unparsed', 1],
    ['claude-stream/simple-run.jsonl', 'opaque,unparsed,truncated', 0],
    ['claude-session/damaged-lines.jsonl', 'truncated', 1],
    ['claude-session/damaged-lines.jsonl', 'unpriced', 0],
  ])('%s with %s ends with %i', async (name, list, code) => {
    expect((await millrace(['census', corpus(name), '--fail-on', list])).code).toBe(code)
  })

  test.each([
    ['claude-session/usage-oddities.jsonl', 'unpriced', 1],
    ['claude-session/usage-oddities.jsonl', 'partial', 1],
    ['claude-stream/simple-run.jsonl', 'unpriced,partial', 0],
  ])('usage of %s with %s ends with %i', async (name, list, code) => {
    expect((await millrace(['usage', corpus(name), '--fail-on', list])).code).toBe(code)
  })
})

describe('what is said', () => {
  test('--quiet leaves data alone on both sides', async () => {
    const { stdout, stderr } = await millrace(['convert', corpus('b10x/loop.jsonl'), '--quiet'])
    expect(stderr).toBe('')
    expect(stdout.length).toBeGreaterThan(0)
  })

  test('tables have no colour and no control characters when they are not for a terminal', async () => {
    for (const command of ['usage', 'census']) {
      const { stdout } = await millrace([command, demo], { env: { NO_COLOR: '' } })
      // oxlint-disable-next-line no-control-regex
      expect(stdout.toString()).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f]/)
    }
  })

  test('a transcript of no known dialect is told, with the way out', async () => {
    const { code, stderr } = await millrace(['convert', corpus('unknown/some-other-tool.jsonl')])
    expect(code).toBe(0)
    expect(stderr).toMatch(
      /no dialect was recognised in it, so every record is opaque.*; name one with --from/,
    )
  })

  test('refused lines of a stream are told: exit 1', async () => {
    const { code, stderr } = await millrace(['convert', corpus('metaharness/refusals.jsonl')])
    expect(code).toBe(1)
    expect(stderr).toContain("some lines were refused and kept as opaque; see 'millrace check'")
  })

  test('without arguments the demo corpus is converted and its usage printed', async () => {
    const { code, stdout, stderr } = await millrace([], { cwd: folder })
    expect(code).toBe(0)
    expect(stderr).toContain('millrace: the demo corpus: 6 transcripts')
    const table = stdout.toString()
    expect(table).toMatch(/^day +model +requests/)
    expect(table).toMatch(/\ntotal +26 /)
    expect(
      readFileSync(join(folder, 'out', 'demo', 'manifest.jsonl'), 'utf8')
        .trimEnd()
        .split('\n'),
    ).toHaveLength(7)
  })
})

describe('dialects', () => {
  test('lists what is read', async () => {
    const { code, stdout } = await millrace(['dialects'])
    expect(code).toBe(0)
    for (const name of ['claude-session', 'claude-stream', 'b10x', 'metaharness', 'unknown']) {
      expect(stdout.toString()).toMatch(new RegExp(`^${name} `, 'm'))
    }
  })

  test.each([
    ['b10x/loop.jsonl', 'b10x', /line 1: proves b10x/],
    ['claude-session/bookkeeping.jsonl', 'claude-session', /line 20: proves claude-session/],
    ['unknown/some-other-tool.jsonl', 'unknown', /no record of the first 20 showed any dialect/],
  ])('explains %s', async (name, dialect, says) => {
    const { code, stdout } = await millrace(['dialects', '--explain', corpus(name)])
    expect(code).toBe(0)
    expect(stdout.toString()).toContain(`${corpus(name)}: ${dialect}\n`)
    expect(stdout.toString()).toMatch(says)
  })

  test('explains nothing that is not there', async () => {
    const { code, stderr } = await millrace(['dialects', '--explain', join(folder, 'nowhere.jsonl')])
    expect(code).toBe(1)
    expect(stderr).toContain('nowhere.jsonl: no such file')
  })
})
