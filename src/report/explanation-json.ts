import { isoOf } from '../usage/instant.ts'
import type { CountedEntry } from '../usage/explain.ts'
import type { OwnedEntry } from '../usage/entry.ts'
import { addEntry, emptyFigures } from '../usage/figures.ts'
import type { LeftOut } from '../usage/witness.ts'
import type { ExplanationReport } from './explanation-report.ts'
import { objectText } from './json-text.ts'
import { type Field, figureFields, shownTokens } from './usage-json.ts'

/** The explanation as `millrace.usage-explanation/1`, in pieces: it can be as long as the corpus has requests. */
export function* explanationJson({ zone, prices, explanation, paths }: ExplanationReport): Generator<string> {
  const { subject, totals, counted, leftOut } = explanation
  const head = objectText([
    ['format', '"millrace.usage-explanation/1"'],
    ['zone', JSON.stringify(zone)],
    ['prices', JSON.stringify({ source: prices.source, as_of: prices.asOf })],
    ['what', objectText([[subject.kind, JSON.stringify(subject.value)]])],
    ['totals', objectText(figureFields(totals))],
  ])
  yield `${head.slice(0, -1)},"counted":[`
  for (const [i, one] of counted.entries()) yield (i === 0 ? '' : ',') + countedText(one, paths)
  yield '],"left_out":['
  for (const [i, one] of leftOut.entries()) yield (i === 0 ? '' : ',') + leftOutText(one, paths)
  yield ']}'
}

function countedText({ owned, picoUsd }: CountedEntry, paths: readonly string[]): string {
  const figures = emptyFigures()
  addEntry(figures, owned.entry, picoUsd)
  return objectText([
    ...placeFields(owned, paths),
    ['numbers_from', placeText(owned.numbersOf ?? null, paths)],
    ...entryFields(owned),
    ...figureFields(figures),
  ])
}

function leftOutText(left: LeftOut, paths: readonly string[]): string {
  const { requests, tokens } = left.entry
  return objectText([
    ...placeFields(left, paths),
    ['reason', JSON.stringify(left.reason)],
    ['in_favour_of', left.to === undefined ? placeText(left.by, paths) : transcriptText(left.to, paths)],
    ...entryFields(left),
    ['requests', String(requests)],
    ['tokens', JSON.stringify(shownTokens(tokens, requests))],
  ])
}

function placeFields({ entry, transcript }: OwnedEntry, paths: readonly string[]): Field[] {
  return [
    ['path', JSON.stringify(paths[transcript] ?? null)],
    ['line', JSON.stringify(entry.origin?.line ?? null)],
    ['folded_lines', JSON.stringify(entry.origin?.foldedLines ?? [])],
  ]
}

function entryFields({ entry }: OwnedEntry): Field[] {
  const { scope, key = null, process, session, model, instant } = entry
  const at = isoOf(instant)
  return Object.entries({ scope, key, process, session, model, at }).map(([name, value]): Field => [
    name,
    JSON.stringify(value),
  ])
}

function transcriptText(transcript: number, paths: readonly string[]): string {
  return JSON.stringify({ path: paths[transcript] ?? null, line: null })
}

function placeText(owned: OwnedEntry | null, paths: readonly string[]): string {
  if (owned === null) return 'null'
  return JSON.stringify({ path: paths[owned.transcript] ?? null, line: owned.entry.origin?.line ?? null })
}
