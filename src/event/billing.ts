/**
 * Token counts in disjoint classes (design §5.8). Null is unknown, which is not zero.
 * `input` lies outside any cache; `reasoning` is a known part of `output`.
 */
export interface Tokens {
  readonly input: number | null
  readonly cacheRead: number | null
  readonly cacheWrite5m: number | null
  readonly cacheWrite1h: number | null
  /** Cache writes of unknown lifetime. */
  readonly cacheWrite: number | null
  readonly output: number | null
  readonly reasoning: number | null
}

/**
 * Where a record of running totals stands in its thread. Harnesses copy the history of a thread into forks and subagents
 * without ids that would tell a copy from the original; equal sequences under a declared parent do
 * (spec vendor-transcripts §4.5). Plain data: it crosses threads.
 */
export interface Place {
  readonly thread: string
  /** The thread whose history this one may begin with. */
  readonly parent: string | null
  /** Number of the record in the thread's sequence in this transcript, from 0; null for a request outside it. */
  readonly step: number | null
  /** All counters of the record as one text; equal texts are equal counters. */
  readonly counters: string | null
  /** `echo`: the record bills nothing by itself. `total`: a summary of the thread, worth less than its own records. */
  readonly kind: 'request' | 'echo' | 'total'
}

/** One billed request, as far as its transcript tells. Plain data: it crosses threads. */
export interface Billed {
  /** Identity over the whole corpus; entries with the same key are one request. Null: always a request of its own. */
  readonly key: string | null
  /** The process total that replaces it (`Settled.process`), unique within the transcript. */
  readonly process: string | null
  readonly session: string | null
  readonly model: string | null
  /** Time of the request as ISO 8601, or null. */
  readonly at: string | null
  readonly tokens: Tokens
  readonly webSearches: number | null
  /** False when the harness never wrote the final numbers: a lower bound. */
  readonly final: boolean
  /** What the harness wrote as its price, in 10^-12 USD. */
  readonly reportedPicoUsd: bigint | null
  readonly serviceTier: string | null
  readonly speed: string | null
  readonly geo: string | null
  /** Made by a subagent inside another session. */
  readonly sidechain: boolean
  /** Only from dialects whose copies cannot be told by `key`. */
  readonly place?: Place | undefined
  /** All that lines told of it, of which one was taken. Only when usage is to be explained. */
  readonly told?: readonly Telling[] | undefined
}

/** What one line told of a request. */
export interface Telling {
  /** 1-based. */
  readonly line: number
  readonly tokens: Tokens
}

/**
 * What a harness says a whole process used, which covers requests the transcript does not show.
 * With `models`, it takes the place of the process' own requests in every total; without, it only states the price.
 * A later total of the same process takes the place of an earlier one.
 */
export interface Settled {
  readonly process: string
  readonly session: string | null
  readonly at: string | null
  readonly models: readonly SettledModel[] | null
  readonly reportedPicoUsd: bigint | null
  /** Without `models`: what the requests of each model cost, as far as it is told. */
  readonly prices?: readonly ModelPrice[]
}

/** What the requests of one model cost. */
export interface ModelPrice {
  readonly model: string
  readonly reportedPicoUsd: bigint | null
}

/** What a process used of one model; without a name, of one that is not told. */
export interface SettledModel {
  readonly model: string | null
  readonly tokens: Tokens
  readonly webSearches: number | null
  readonly reportedPicoUsd: bigint | null
}
