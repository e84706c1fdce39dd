import { NAMES } from './argument-names.ts'
import type { CallArguments } from './call-arguments.ts'
import type { Lines } from './step.ts'

const MOST = 0xffffffff

/**
 * The lines that a call asks for: a pair, a first and a last line, or a first line and a count. A line number that is
 * none, 0 included, is unknown; without a first line no last one is made up.
 *
 * @param fromZero the harness counts the lines of its offsets from 0
 */
export function linesOf(input: CallArguments, fromZero: boolean): Lines {
  const range = input.plain(NAMES.lineRange)
  if (Array.isArray(range) && range.length === 2) {
    return { startLine: lineNumber(range[0]), endLine: lineNumber(range[1]) }
  }
  const stated = input.whole(NAMES.startLine)
  const startLine = lineNumber(stated === null ? null : fromZero ? stated + 1 : stated)
  const endLine = lineNumber(input.whole(NAMES.endLine))
  if (endLine !== null || startLine === null) return { startLine, endLine }
  const count = lineNumber(input.whole(NAMES.lineCount))
  return { startLine, endLine: count === null ? null : lineNumber(startLine + count - 1) }
}

function lineNumber(value: unknown): number | null {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= MOST ? value : null
}
