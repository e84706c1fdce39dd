import type { Ending } from './adapter.ts'

/** Why a reader of `metaharness.event/1` turned a line away (spec metaharness-event-1 §1). */
export interface Refusal {
  /** 1-based. */
  readonly line: number
  readonly refusal: 'NotAnObject' | 'UnknownFormat' | 'UnknownName' | 'Malformed'
  readonly detail: string
}

/** How a stream of events ended, with what was refused in it. */
export interface ReadEnding extends Ending {
  /** The first thousand. */
  readonly refusals: readonly Refusal[]
  readonly refused: number
}

/** An ending that a reader of events gave. */
export function isReadEnding(ending: Ending): ending is ReadEnding {
  return 'refusals' in ending
}

interface Notice {
  readonly code: string
  readonly line: number | null
  readonly count: number
  readonly message: string
}

/** What is known of a transcript once it was read to its end. */
export interface StreamFacts {
  readonly path: string
  readonly dialect: string
  readonly ending: Ending | ReadEnding
  /** The source broke off, or records are missing from its middle. */
  readonly cut: boolean
  /** Lines that are not JSON, as far as they were kept; in a stream of events each is a `NotAnObject`. */
  readonly unparsedLines: readonly number[]
  /** How many lines were not JSON. */
  readonly unparsed: number
  /** `opaque` events of the stream, those for refused and unparsed lines included. */
  readonly opaque: number
  readonly notices: readonly Notice[]
}

/** Whether a transcript is all there: cut or gapped ones are truncated, inconsistent ones contradict themselves. */
export type Completeness = 'complete' | 'truncated' | 'inconsistent'

/** One line of `millrace check --json` (interface.md). */
export interface CheckLine {
  readonly format: 'millrace.check/1'
  readonly path: string
  readonly dialect: string
  readonly verdict: 'ok' | 'refused' | 'damaged'
  readonly completeness: Completeness
  readonly refusals: readonly Refusal[]
  /** Events `opaque`, those for refused and unparsed lines included. */
  readonly opaque: number
  /** Whether "this never happened" can be said of the run: nothing is missing and nothing was unreadable (design §5.6). */
  readonly negative_claims: 'decidable' | 'undecidable'
  readonly notices: readonly Notice[]
}

/** A stream that contradicts itself is inconsistent, one that lacks its promised end is truncated. */
export function completenessOf(ending: Ending, cut: boolean): Completeness {
  if (ending.inconsistent !== undefined) return 'inconsistent'
  const isCut = cut || ending.gapped === true || ending.unclosed === true
  return isCut || (!ending.terminal && ending.promised) ? 'truncated' : 'complete'
}

/** Refused lines outweigh damage: they say that the writer, not the transport, was at fault. */
export function verdictOf(facts: StreamFacts): CheckLine {
  const completeness = completenessOf(facts.ending, facts.cut)
  const { ending } = facts
  const refusals = isReadEnding(ending)
    ? [...ending.refusals, ...facts.unparsedLines.map(notJson)].toSorted((a, b) => a.line - b.line)
    : []
  const whole = completeness === 'complete' && facts.unparsed === 0
  return {
    format: 'millrace.check/1',
    path: facts.path,
    dialect: facts.dialect,
    verdict: refusals.length > 0 ? 'refused' : whole ? 'ok' : 'damaged',
    completeness,
    refusals,
    opaque: facts.opaque,
    negative_claims: whole && refusals.length === 0 && facts.opaque === 0 ? 'decidable' : 'undecidable',
    notices: facts.notices,
  }
}

function notJson(line: number): Refusal {
  return { line, refusal: 'NotAnObject', detail: 'the line is not JSON' }
}
