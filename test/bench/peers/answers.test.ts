import { describe, expect, test } from 'vitest'
import {
  billFaults,
  knownTokens,
  parseCcusage,
  parseMillrace,
  parseSums,
  parseTokens,
  tokenFaults,
} from '../../../bench/peers/answers.ts'
import { emptyFacts, totalsOf } from '../../../scripts/corpus/facts.ts'

const tokens = { input: 10, cacheRead: 2000, cacheWrite: 300, output: 40 }

const ours = {
  format: 'millrace.usage/1',
  totals: {
    requests: 3,
    tokens: {
      input: 10,
      cache_read: 2000,
      cache_write_5m: 200,
      cache_write_1h: 70,
      cache_write: 30,
      output: 40,
    },
    web_search_requests: 5,
    cost: { computed_usd: 1.25 },
  },
}

const theirs = {
  totals: {
    inputTokens: 10,
    outputTokens: 40,
    cacheCreationTokens: 300,
    cacheReadTokens: 2000,
    totalCost: 1.2,
  },
}

describe('answers', () => {
  test('of millrace are tokens with all lifetimes of a write together, the bill, and web searches', () => {
    expect(parseMillrace(JSON.stringify(ours))).toEqual({ tokens, usd: 1.25, webSearches: 5 })
  })

  test('of ccusage are tokens and the bill', () => {
    expect(parseCcusage(JSON.stringify(theirs))).toEqual({ tokens, usd: 1.2 })
  })

  test('of queries and of the plain program are tokens', () => {
    expect(parseTokens(JSON.stringify({ ...tokens, more: 1 }))).toEqual(tokens)
    expect(parseSums(JSON.stringify({ lines: { ...tokens, output: 80 }, requests: tokens }))).toEqual({
      lines: { ...tokens, output: 80 },
      requests: tokens,
    })
  })

  test.each([
    { what: 'no JSON', said: 'Usage: ccusage', parse: parseCcusage, message: 'JSON' },
    { what: 'a list', said: '[]', parse: parseCcusage, message: 'no JSON object' },
    { what: 'no totals', said: '{"daily":[]}', parse: parseCcusage, message: 'no object totals' },
    { what: 'text for a number', said: '{"input":"10"}', parse: parseTokens, message: 'no number input' },
    { what: 'null for a sum', said: '{"input":null}', parse: parseTokens, message: 'no number input' },
  ])('are refused when they hold $what', ({ said, parse, message }) => {
    expect(() => parse(said)).toThrow(message)
  })
})

describe('answers agree', () => {
  test('only to the last token', () => {
    expect(tokenFaults(tokens, { ...tokens })).toEqual([])
    expect(tokenFaults({ ...tokens, output: 41, cacheWrite: 0 }, tokens)).toEqual([
      'cacheWrite 0, expected 300',
      'output 41, expected 40',
    ])
  })

  test('with the bill of somebody who leaves web searches out', () => {
    const bill = parseMillrace(JSON.stringify(ours))
    expect(billFaults({ tokens, usd: 1.2 }, bill)).toEqual([])
    expect(billFaults({ tokens, usd: 1.2 + 1e-9 }, bill)).toEqual([])
    expect(billFaults({ tokens, usd: 1.25 }, bill)).toEqual(['1.25 USD, expected 1.2'])
    expect(billFaults({ tokens, usd: 1.19999 }, bill)).toHaveLength(1)
  })
})

test('what a generator knows is summed over models and lifetimes', () => {
  const facts = emptyFacts()
  Object.assign(totalsOf(facts.models, 'a'), { input: 4, cache_read: 1500, cache_write_5m: 200, output: 30 })
  Object.assign(totalsOf(facts.models, 'b'), {
    input: 6,
    cache_read: 500,
    cache_write_1h: 70,
    cache_write: 30,
    output: 10,
  })
  expect(knownTokens(facts)).toEqual(tokens)
})
