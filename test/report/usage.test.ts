import { describe, expect, test } from 'vitest'
import { csvText, usageCsv } from '../../src/report/usage-csv.ts'
import { usageJson } from '../../src/report/usage-json.ts'
import { priceNotices } from '../../src/report/usage-report.ts'
import { usageTable } from '../../src/report/usage-table.ts'
import { entry, tokens } from '../usage/entries.ts'
import { usageReport } from './reporting.ts'

const plain = { width: null, colour: false }

const one = entry({
  model: 'claude-opus-4-8',
  tokens: tokens({ input: 1, cacheRead: 2, cacheWrite: 0, output: 4 }),
  webSearches: 0,
})
const unpriced = entry({ model: 'zz-new-9', at: null, final: false, tokens: tokens({ input: 5, output: 5 }) })

describe('JSON', () => {
  test('has the published shape, keys in the published order', () => {
    expect(usageJson(usageReport([one], ['day', 'model']))).toBe(
      '{"format":"millrace.usage/1","zone":"Europe/Madrid","by":["day","model"],' +
        '"prices":{"source":"list","as_of":"2026-11-20"},' +
        '"rows":[{"day":"2026-11-30","model":"claude-opus-4-8",' +
        FIGURES +
        '}],"totals":{' +
        FIGURES +
        '},"unpriced":[],' +
        '"corpus":{"transcripts":1,"sessions":1,"subagent_transcripts":0,"replayed_records":0,"duplicate_responses":0,"digest":null},' +
        '"notices":[{"code":"counter-went-back","path":"a.jsonl","line":9,"count":1,"message":"m"}]}',
    )
  })

  test('lists what has no price, with its tokens', () => {
    const json = usageJson(usageReport([one, unpriced], ['model']))
    expect(JSON.parse(json)).toMatchObject({
      unpriced: [{ model: 'zz-new-9', tokens: { input: 5, output: 5, cache_write: null, total: 10 } }],
      totals: { lower_bound: true, partial_cost: true, cost: { computed_usd: 0.000106 } },
    })
  })

  test('no requests at all are zero, not unknown', () => {
    expect(JSON.parse(usageJson(usageReport([], ['model'])))).toMatchObject({
      rows: [],
      totals: {
        requests: 0,
        tokens: { input: 0, reasoning: 0, total: 0 },
        web_search_requests: 0,
        cost: { reported_usd: 0, computed_usd: 0, computed_pico_usd: '0' },
        lower_bound: false,
        partial_cost: false,
      },
    })
  })
})

describe('CSV', () => {
  test('has one line a row, the names of the JSON', () => {
    expect(usageCsv(usageReport([one, unpriced], ['model', 'day', 'project']))).toBe(
      [
        'model,day,project,requests,tokens_input,tokens_cache_read,tokens_cache_write_5m,tokens_cache_write_1h,' +
          'tokens_cache_write,tokens_output,tokens_reasoning,tokens_total,web_search_requests,cost_reported_usd,' +
          'cost_reported_pico_usd,cost_computed_usd,cost_computed_pico_usd,lower_bound,partial_cost',
        "claude-opus-4-8,2026-11-30,'=cmd,1,1,2,0,0,0,4,,7,0,,,0.000106,106000000,false,false",
        "zz-new-9,,'=cmd,1,5,0,0,0,,5,,10,,,,,,true,true",
        '',
      ].join('\n'),
    )
  })

  test.each([
    [null, ''],
    ['a b', 'a b'],
    ['a,b', '"a,b"'],
    ['say "x"', '"say ""x"""'],
    ['=1+1', "'=1+1"],
    ['+1', "'+1"],
    ['-1', "'-1"],
    ['@x', "'@x"],
    [' =1', "' =1"],
    ['\t=1', '"\'\t=1"'],
    ['\rx', '"\'\rx"'],
    ['＝1', "'＝1"],
    ['a=1', 'a=1'],
    ['a;=1', '"a;=1"'],
  ])('%j becomes %j', (text, cell) => {
    expect(csvText(text)).toBe(cell)
  })
})

describe('table', () => {
  test('aligns numbers, sums up and explains its marks', () => {
    const big = entry({ model: 'claude-opus-4-8', tokens: tokens({ input: 1_234_567, output: 10 }) })
    expect(usageTable(usageReport([big, unpriced], ['model', 'day']), plain)).toBe(
      [
        'model            day         requests      input  cache read  cache write  output      tokens  cost USD',
        '───────────────────────────────────────────────────────────────────────────────────────────────────────',
        'claude-opus-4-8  2026-11-30         1  1,234,567           0            0      10   1,234,577    6.1731',
        'zz-new-9         (unknown)          1          5           0            0       5         ≥10         -',
        '───────────────────────────────────────────────────────────────────────────────────────────────────────',
        'total                               2  1,234,572           0            0      15  ≥1,234,587   ~6.1731',
        '',
        '≥ a lower bound: some counts are unknown, or their harness never wrote the final ones',
        '~ a partial cost: without the requests that have no price, of zz-new-9',
        '- unknown, which is not zero',
        'cost at the list prices of list as of 2026-11-20; day in Europe/Madrid',
        '',
      ].join('\n'),
    )
  })

  test.each([40, 50, 60, 80, 100])('fits %i cells and says what it left out', (width) => {
    const long = entry({ model: `a-model-with-a-very-long-name-${'x'.repeat(90)}`, reportedPicoUsd: 5n })
    const [header = '', rule = '', ...lines] = usageTable(usageReport([long, one], ['model']), {
      width,
      colour: false,
    }).split('\n')
    for (const line of [header, rule, ...lines.slice(0, 4)])
      expect([...line].length).toBeLessThanOrEqual(width)
    expect(header).toContain('cost USD')
    expect(lines.join('\n').includes('no room for')).toBe(!header.includes('cache write'))
  })

  test('text out of transcripts cannot drive the terminal', () => {
    const evil = entry({ model: '\u001B[2Jred\u202E\u009B1m\n' })
    const text = usageTable(usageReport([evil], ['model']), plain)
    for (const control of ['\u001B', '\u202E', '\u009B']) expect(text).not.toContain(control)
  })

  test('colours only when asked', () => {
    expect(usageTable(usageReport([one], ['model']), { width: null, colour: true })).toContain('\u001B[1m')
    expect(usageTable(usageReport([one], ['model']), plain)).not.toContain('\u001B')
  })
})

test('what prices left open becomes notices', () => {
  const notices = priceNotices(
    usageReport([entry({ tokens: tokens({ cacheWrite: 5 }) }), entry({ at: null })], []).usage,
  )
  expect(notices.map(({ code, count }) => [code, count])).toEqual([
    ['price-date-unknown', 1],
    ['price-lifetime-assumed', 1],
  ])
})

const FIGURES =
  '"requests":1,"tokens":{"input":1,"cache_read":2,"cache_write_5m":0,"cache_write_1h":0,"cache_write":0,"output":4,' +
  '"reasoning":null,"total":7},"web_search_requests":0,"cost":{"reported_usd":null,"reported_pico_usd":null,' +
  '"computed_usd":0.000106,"computed_pico_usd":"106000000"},"lower_bound":false,"partial_cost":false'
