import { type Options, parseOptions, valued, type Valued } from './shell-options.ts'
import type { ShellWord, Stage } from './shell-line.ts'
import type { Lines } from './step.ts'

export type FileLines = { readonly path: string } & Lines

const WHOLE: Lines = { startLine: null, endLine: null }
const COUNTED = valued('n c lines bytes')
const NO_VALUES = valued('')
const SED_VALUES = valued('e f l expression file line-length')
const NL_VALUES: Valued = valued(
  `b d f h i l n s v w body-numbering section-delimiter footer-numbering header-numbering line-increment
  join-blank-lines number-format number-separator starting-line-number number-width`,
)

const readers: Readonly<Record<string, (stage: Stage) => FileLines[] | null>> = {
  cat: (stage) => filesOf(parseOptions(stage.words.slice(1), NO_VALUES), stage, WHOLE),
  nl: (stage) => filesOf(parseOptions(stage.words.slice(1), NL_VALUES), stage, WHOLE),
  head: (stage) => {
    const options = parseOptions(stage.words.slice(1), COUNTED)
    return filesOf(options, stage, headOf(options))
  },
  tail: (stage) => {
    const options = parseOptions(withoutPlus(stage.words.slice(1)), COUNTED)
    return filesOf(options, stage, tailOf(options))
  },
  sed: (stage) => {
    const sed = printedBySed(stage.words.slice(1))
    if (sed === null) return null
    const files = filesOf({ given: new Map(), operands: sed.files }, stage, WHOLE)
    // Over several files sed counts the lines on.
    if (files?.length !== 1) return files
    return sed.ranges.flatMap((range) => files.map(({ path }) => ({ path, ...range })))
  },
}

/** The programs that show files: which of them, and which lines. */
export const READERS: ReadonlyMap<string, (stage: Stage) => FileLines[] | null> = new Map(
  Object.entries(readers),
)

/** What is left of the lines of one file when a program shows them further down the pipe; null when it cannot be told. */
export function narrowed(lines: Lines, { words }: Stage): Lines | null {
  const { startLine, endLine } = lines
  const rest = words.slice(1)
  if (words[0] === 'head') {
    const options = parseOptions(rest, COUNTED)
    const { endLine: count } = headOf(options)
    if (options.operands.length > 0 || count === null) return null
    const start = startLine ?? 1
    return { startLine: start, endLine: Math.min(endLine ?? Infinity, start + count - 1) }
  }
  if (words[0] === 'tail') {
    const options = parseOptions(withoutPlus(rest), COUNTED)
    if (options.operands.length > 0) return null
    const from = tailOf(options).startLine
    if (from !== null) return { startLine: (startLine ?? 1) + from - 1, endLine }
    const count = wholeOf(options, ['n', 'lines', '#'])
    return count === null || endLine === null
      ? null
      : { startLine: Math.max(startLine ?? 1, endLine - count + 1), endLine }
  }
  if (words[0] === 'sed' && startLine === null && endLine === null) {
    const sed = printedBySed(rest)
    return sed !== null && sed.files.length === 0 && sed.ranges.length === 1 ? (sed.ranges[0] ?? null) : null
  }
  return null
}

/** The operands that are files, else the file behind `<`; null when there is none or one cannot be told. */
function filesOf({ operands }: Options, { input }: Stage, lines: Lines): FileLines[] | null {
  const files = operands.filter((word) => word !== '-')
  if (files.length === 0 && input !== undefined) files.push(input)
  if (files.length === 0) return null
  const found: FileLines[] = []
  for (const path of files) {
    if (path === null || path === '') return null
    found.push({ path, ...lines })
  }
  return found
}

/** `head -20`, `head -n 20`; `-n -5` leaves lines out at the end, and bytes are no lines. */
function headOf(options: Options): Lines {
  const { given } = options
  if (given.has('c') || given.has('bytes')) return WHOLE
  const stated = ['n', 'lines', '#'].some((name) => given.has(name))
  const count = stated ? wholeOf(options, ['n', 'lines', '#']) : 10
  return count === null || count === 0 ? WHOLE : { startLine: 1, endLine: count }
}

/** `tail -n +20` begins at a line; how far from the end `tail -20` does is not known. */
function tailOf({ given }: Options): Lines {
  const from = (given.get('n') ?? given.get('lines') ?? [])[0]
  return from?.startsWith('+') === true ? { startLine: lineNumber(from.slice(1)), endLine: null } : WHOLE
}

/** The old spelling `tail +20` as `tail -n +20`. */
function withoutPlus(words: readonly ShellWord[]): ShellWord[] {
  return words.flatMap((word, i) =>
    i === 0 && word !== null && /^\+\d+$/.test(word) ? ['-n', word] : [word],
  )
}

function wholeOf({ given }: Options, names: readonly string[]): number | null {
  for (const name of names) {
    const value = given.get(name)?.at(-1)
    if (value !== undefined) return lineNumber(value)
  }
  return null
}

interface Printed {
  readonly ranges: readonly Lines[]
  readonly files: readonly ShellWord[]
}

/** `sed -n` with a script of nothing but line ranges to print: `5p`, `5,9p`, `5,$p`, `5,+4p`, joined by `;`. */
function printedBySed(words: readonly ShellWord[]): Printed | null {
  const { given, operands } = parseOptions(words, SED_VALUES)
  if (!['n', 'quiet', 'silent'].some((name) => given.has(name))) return null
  if (['i', 'in-place', 'f', 'file'].some((name) => given.has(name))) return null
  const scripts = [...(given.get('e') ?? []), ...(given.get('expression') ?? [])]
  const files = scripts.length > 0 ? operands : operands.slice(1)
  if (scripts.length === 0) scripts.push(operands[0] ?? '')
  const ranges: Lines[] = []
  for (const part of scripts.join(';').split(/[;\n]/)) {
    const script = part.trim()
    // `20q` ends the reading early and shows nothing.
    if (script === '' || /^\d+q$/.test(script)) continue
    const range = /^(\d+)(?:,(\d+|\$|\+\d+))?p$/.exec(script)
    if (range === null) return null
    const startLine = lineNumber(range[1] ?? '')
    if (startLine === null) return null
    ranges.push({ startLine, endLine: endOf(startLine, range[2]) })
  }
  return ranges.length === 0 || ranges.length > MOST_RANGES ? null : { ranges, files }
}

const MOST_RANGES = 64

function endOf(start: number, spelled: string | undefined): number | null {
  if (spelled === undefined) return start
  if (spelled === '$') return null
  if (spelled.startsWith('+')) return start + (lineNumber(spelled.slice(1)) ?? 0)
  return lineNumber(spelled)
}

/** A line number from 1, as the events hold it; null for anything else. */
function lineNumber(spelled: string): number | null {
  if (!/^\d{1,10}$/.test(spelled)) return null
  const value = Number(spelled)
  return value >= 1 && value <= 0xffffffff ? value : null
}
