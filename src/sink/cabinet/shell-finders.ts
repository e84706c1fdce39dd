import { parseOptions, valued, type Valued } from './shell-options.ts'
import type { ShellWord, Stage } from './shell-line.ts'

/** What a program that searches or lists looks for, and where. */
export type Finding =
  | {
      readonly type: 'search'
      readonly query: string
      readonly paths: readonly string[]
      readonly exits1WhenEmpty: boolean
    }
  | { readonly type: 'list'; readonly paths: readonly string[] }

const GREP_VALUES: Valued = valued(
  `e f m A B C d D regexp file max-count after-context before-context context directories devices include exclude
  exclude-dir exclude-from include-dir label binary-files group-separator`,
)
const RG_VALUES: Valued = valued(
  `e f g t T m A B C M d j r E regexp file glob iglob type type-not type-add type-clear max-count after-context
  before-context context max-columns max-depth maxdepth threads replace encoding sort sortr color colors engine
  dfa-size-limit regex-size-limit path-separator pre pre-glob ignore-file max-filesize context-separator
  field-match-separator field-context-separator hyperlink-format generate hostname-bin`,
)
const FD_VALUES: Valued = valued(
  `e t d E S o j c x X extension type max-depth min-depth exact-depth exclude size owner threads color exec
  exec-batch base-directory search-path changed-within changed-before newer older max-results format ignore-file
  path-separator and batch-size max-buffer-time gen-completions`,
)
const LS_VALUES: Valued = valued('I T w ignore hide tabsize width block-size')
const TREE_VALUES: Valued = valued(
  'L P I H T o filelimit timefmt charset sort gitfile infofile hintro houtro',
)

/** Expressions of `find` that take one word as what to look for. */
const FIND_PATTERNS: ReadonlySet<ShellWord> = new Set(
  '-name -iname -path -ipath -wholename -iwholename -regex -iregex -lname -ilname'.split(' '),
)
/** Expressions of `find` that do something to what was found, or write a file. */
const FIND_ACTIONS: ReadonlySet<ShellWord> = new Set(
  '-exec -execdir -ok -okdir -delete -fprint -fprint0 -fprintf -fls'.split(' '),
)

const finders: Readonly<Record<string, (stage: Stage) => Finding | null>> = {
  grep,
  egrep: grep,
  fgrep: grep,
  rg: ripgrep,
  find: findFiles,
  fd: findByName,
  fdfind: findByName,
  ls: (stage) => listing(parseOptions(stage.words.slice(1), LS_VALUES).operands),
  tree: (stage) => {
    const { given, operands } = parseOptions(stage.words.slice(1), TREE_VALUES)
    return given.has('o') ? null : listing(operands)
  },
}

/** The programs that search or list. */
export const FINDERS: ReadonlyMap<string, (stage: Stage) => Finding | null> = new Map(Object.entries(finders))

function grep(stage: Stage): Finding | null {
  const { given, operands } = parseOptions(stage.words.slice(1), GREP_VALUES)
  if (given.has('f') || given.has('file')) return null
  return search([...(given.get('e') ?? []), ...(given.get('regexp') ?? [])], operands, stage, true)
}

function ripgrep(stage: Stage): Finding | null {
  const { given, operands } = parseOptions(stage.words.slice(1), RG_VALUES)
  if (given.has('f') || given.has('file') || given.has('pre') || given.has('type-list')) return null
  if (given.has('files')) {
    const glob = [...(given.get('g') ?? []), ...(given.get('glob') ?? []), ...(given.get('iglob') ?? [])][0]
    return glob === undefined ? listing(operands) : search([glob], operands, stage, true)
  }
  return search([...(given.get('e') ?? []), ...(given.get('regexp') ?? [])], operands, stage, true)
}

/** @param patterns those given as options; without one the first operand is the pattern */
function search(
  patterns: readonly string[],
  operands: readonly ShellWord[],
  { input }: Stage,
  exits1WhenEmpty: boolean,
): Finding | null {
  const query = patterns[0] ?? operands[0] ?? null
  const places = (patterns.length > 0 ? operands : operands.slice(1)).filter((word) => word !== '-')
  if (places.length === 0 && input !== undefined) places.push(input)
  const paths = known(places)
  return query === null || query === '' || paths === null
    ? null
    : { type: 'search', query, paths, exits1WhenEmpty }
}

function findFiles({ words }: Stage): Finding | null {
  const rest = words.slice(1)
  if (rest.some((word) => FIND_ACTIONS.has(word))) return null
  const places: ShellWord[] = []
  let at = 0
  while (/^-[HLP]$|^-O\d$/.test(rest[at] ?? '')) at++
  for (; at < rest.length && !/^[-(!]/.test(rest[at] ?? ''); at++) places.push(rest[at] ?? null)
  const paths = known(places)
  if (paths === null) return null
  const pattern = rest.findIndex((word, i) => i >= at && FIND_PATTERNS.has(word))
  if (pattern < 0) return { type: 'list', paths }
  const query = rest[pattern + 1] ?? null
  return query === null || query === '' ? null : { type: 'search', query, paths, exits1WhenEmpty: false }
}

function findByName(stage: Stage): Finding | null {
  const { given, operands } = parseOptions(stage.words.slice(1), FD_VALUES)
  if (['x', 'X', 'exec', 'exec-batch'].some((name) => given.has(name))) return null
  if (operands.length > 0) return search([], operands, stage, true)
  return listing([...(given.get('search-path') ?? []), ...(given.get('base-directory') ?? [])])
}

function listing(operands: readonly ShellWord[]): Finding | null {
  const paths = known(operands)
  return paths === null ? null : { type: 'list', paths }
}

/** The words, when all of them are known. */
function known(words: readonly ShellWord[]): string[] | null {
  const found: string[] = []
  for (const word of words) {
    if (word === null || word === '') return null
    found.push(word)
  }
  return found
}
