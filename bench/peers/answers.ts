import type { CorpusFacts } from '../../scripts/make-corpus.ts'

/** Tokens of a corpus by the classes that every program here can tell apart. */
export interface Tokens {
  readonly input: number
  readonly cacheRead: number
  /** Writes of every lifetime. */
  readonly cacheWrite: number
  readonly output: number
}

export const NO_TOKENS: Tokens = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 }

/** What a program that also knows prices said. */
export interface Bill {
  readonly tokens: Tokens
  readonly usd: number
}

/** USD of one web search. Only millrace bills them; see `billFaults`. */
const WEB_SEARCH_USD = 0.01

/** Relative difference of two bills that is no disagreement: ccusage adds up doubles. */
const USD_TOLERANCE = 1e-6

export function addTokens(a: Tokens, b: Tokens): Tokens {
  return {
    input: a.input + b.input,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
    output: a.output + b.output,
  }
}

/** What the generator knows: each request once. */
export function knownTokens(facts: CorpusFacts): Tokens {
  return Object.values(facts.models)
    .map((total) => ({
      input: total.input,
      cacheRead: total.cache_read,
      cacheWrite: total.cache_write_5m + total.cache_write_1h + total.cache_write,
      output: total.output,
    }))
    .reduce(addTokens, NO_TOKENS)
}

/** `millrace usage --json`; web searches apart, since nobody else bills them. @throws Error when it says something else */
export function parseMillrace(said: string): Bill & { readonly webSearches: number } {
  const totals = objectIn(parseObject(said), 'totals')
  const tokens = objectIn(totals, 'tokens')
  const cost = objectIn(totals, 'cost')
  const written = ['cache_write_5m', 'cache_write_1h', 'cache_write'].map((name) => numberIn(tokens, name))
  return {
    tokens: {
      input: numberIn(tokens, 'input'),
      cacheRead: numberIn(tokens, 'cache_read'),
      cacheWrite: written.reduce((sum, count) => sum + count, 0),
      output: numberIn(tokens, 'output'),
    },
    usd: numberIn(cost, 'computed_usd'),
    webSearches: numberIn(totals, 'web_search_requests'),
  }
}

/** `ccusage claude daily --json`. @throws Error when it says something else */
export function parseCcusage(said: string): Bill {
  const totals = objectIn(parseObject(said), 'totals')
  return {
    tokens: {
      input: numberIn(totals, 'inputTokens'),
      cacheRead: numberIn(totals, 'cacheReadTokens'),
      cacheWrite: numberIn(totals, 'cacheCreationTokens'),
      output: numberIn(totals, 'outputTokens'),
    },
    usd: numberIn(totals, 'totalCost'),
  }
}

/** What queries print. @throws Error when they say something else */
export function parseTokens(said: string): Tokens {
  return tokensIn(parseObject(said))
}

/** Tokens of all lines, and of each request once. */
export interface Sums {
  readonly lines: Tokens
  readonly requests: Tokens
}

/** What `plain.ts usage` prints. @throws Error when it says something else */
export function parseSums(said: string): Sums {
  const sums = parseObject(said)
  return { lines: tokensIn(objectIn(sums, 'lines')), requests: tokensIn(objectIn(sums, 'requests')) }
}

function tokensIn(tokens: Fields): Tokens {
  return {
    input: numberIn(tokens, 'input'),
    cacheRead: numberIn(tokens, 'cacheRead'),
    cacheWrite: numberIn(tokens, 'cacheWrite'),
    output: numberIn(tokens, 'output'),
  }
}

/** Classes in which two answers differ, in words; none when they agree to the last token. */
export function tokenFaults(got: Tokens, wanted: Tokens): string[] {
  const classes = ['input', 'cacheRead', 'cacheWrite', 'output'] as const
  return classes.flatMap((name) =>
    got[name] === wanted[name] ? [] : [`${name} ${got[name]}, expected ${wanted[name]}`],
  )
}

/** As `tokenFaults`, and the bill: it has to be ours without the web searches, which ccusage does not bill. */
export function billFaults(theirs: Bill, ours: Bill & { readonly webSearches: number }): string[] {
  const expected = ours.usd - ours.webSearches * WEB_SEARCH_USD
  const differs = Math.abs(theirs.usd - expected) > USD_TOLERANCE * Math.abs(expected)
  return differs ? [`${theirs.usd} USD, expected ${expected}`] : []
}

type Fields = Readonly<Record<string, unknown>>

function parseObject(said: string): Fields {
  const value: unknown = JSON.parse(said)
  if (!isFields(value)) throw new Error('the answer is no JSON object')
  return value
}

function objectIn(fields: Fields, name: string): Fields {
  const value = fields[name]
  if (!isFields(value)) throw new Error(`the answer has no object ${name}`)
  return value
}

function numberIn(fields: Fields, name: string): number {
  const value = fields[name]
  if (typeof value !== 'number') throw new Error(`the answer has no number ${name}`)
  return value
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
