import { changeDir, resolvePath } from './path.ts'
import { patchedFiles } from './patch.ts'
import { FINDERS, type Finding } from './shell-finders.ts'
import { isDevice, parseShellLine, type ShellWord, type Stage } from './shell-line.ts'
import { parseOptions, valued } from './shell-options.ts'
import { type FileLines, narrowed, READERS } from './shell-readers.ts'
import { fileStep, type Step, WHOLE } from './step.ts'

/** Shells whose `-c` takes a line. */
const SHELLS: ReadonlySet<string> = new Set(['bash', 'sh', 'zsh', 'dash', 'ksh'])
/** Lines within lines that are followed: `bash -lc "sh -c '…'"`. */
const MOST_WRAPPERS = 4
/** Events one line may come to; a line that names more files stays a command. */
const MOST_STEPS = 256

/** Programs that make text out of what they are given and do nothing else, beside those that read, search and list. */
const FILTERS: ReadonlySet<string> = new Set(
  `echo printf sort uniq wc cut tr awk gawk jq yq column paste rev tac fold fmt date seq base64 xxd od hexdump diff
  comm less more strings sed true :`.split(/\s+/),
)

/** Programs that have a say in what a line comes to, and the one word in front of a program that the parser takes off. */
const KNOWN: ReadonlySet<string> = new Set([
  ...FILTERS,
  ...READERS.keys(),
  ...FINDERS.keys(),
  ...SHELLS,
  'cd',
  'tee',
  'apply_patch',
  'applypatch',
  'time',
])
/**
 * A first word without quotes and the like, and what ends it: not `<` or `>`, which make a number of it, nor `(`, which may make it
 * a pattern that goes on behind `)`. No white space ends it but what does for a shell.
 */
const FIRST_WORD = /^[ \t\n]*([^ \t\n;|&()<>'"`$\\={}!#*?[\]~]+)[ \t\n;|&]/

/**
 * Does a line that begins like this run a program that neither reads, searches, lists nor writes what is known? Then it is a
 * command whatever follows, and need not be parsed. No line of which this says so has steps.
 */
export function isOtherProgram(beginning: string): boolean {
  const word = FIRST_WORD.exec(beginning)?.[1]
  return word !== undefined && !KNOWN.has(baseName(word))
}

/**
 * What a shell line does, when it does nothing but read, search, list, or write files whose content it holds or makes
 * of others; null when it is a command. Paths are resolved against `dir` and against the `cd` in front of them; without
 * either they stay as they are written, because a shell keeps its folder from call to call.
 *
 * @param dir the folder that the call names for it; null when it names none
 */
export function stepsOfLine(line: string, dir: string | null): readonly Step[] | null {
  return ofLine(line, dir, 0)
}

/** What a program with these arguments does; as above. */
export function stepsOfArgv(argv: readonly string[], dir: string | null): readonly Step[] | null {
  const stage: Stage = { words: argv, spelled: argv, input: undefined, targets: [], body: null }
  return argv.length === 0 ? null : ofStages([stage], dir, 0)
}

function ofLine(line: string, dir: string | null, depth: number): readonly Step[] | null {
  const parsed = parseShellLine(line)
  if (parsed === null) return null
  let base = dir
  for (const to of parsed.dirs) {
    base = changeDir(base, to)
    if (base === null) return null
  }
  return ofStages(parsed.stages, base, depth)
}

function ofStages(stages: readonly Stage[], dir: string | null, depth: number): readonly Step[] | null {
  const [first, ...rest] = stages
  if (first === undefined) return null
  if (rest.length === 0) {
    const script = wrapped(first)
    if (script !== null) return depth < MOST_WRAPPERS ? ofScript(script, dir, depth + 1) : null
    if (isPatch(first)) return written(patchedFiles(first.body ?? first.words[1] ?? ''), dir)
  }
  const targets = targetsOf(stages)
  if (targets === null) return null
  if (targets.length > 0) return written(targets, dir)
  const program = programOf(first)
  const reads = program === null ? null : READERS.get(program)?.(first)
  if (reads !== null && reads !== undefined) return readSteps(narrowedBy(rest, reads), dir)
  const found = program === null ? null : FINDERS.get(program)?.(first)
  return found === null || found === undefined ? null : findSteps(found, rest.length === 0, dir)
}

interface Script {
  readonly line: string
  /** It is what the inner shell gets, but for what the outer one puts in place of `$HOME` and the like. */
  readonly expands: boolean
}

/** The line that `bash -lc 'line'` runs. */
function wrapped({ words, spelled, targets, input, body }: Stage): Script | null {
  const [program, ...rest] = words
  if (program === null || program === undefined || !SHELLS.has(baseName(program))) return null
  if (targets.length > 0 || input !== undefined || body !== null) return null
  const at = rest.findIndex((word) => word !== null && /^-[a-zA-Z]*c$/.test(word))
  if (at < 0 || rest.slice(0, at).some((word) => word === null || !word.startsWith('-'))) return null
  const line = spelled[at + 2]
  return line === undefined ? null : { line, expands: rest[at + 1] === null }
}

/**
 * Harnesses quote a script for display in ways of their own, so that a `$` in it may stand for itself (`sed -n '5,$p'`).
 * Only what names no `$` is taken for known.
 */
function ofScript({ line, expands }: Script, dir: string | null, depth: number): readonly Step[] | null {
  const steps = ofLine(line, dir, depth)
  return expands && steps?.some(namesVariable) === true ? null : steps
}

function namesVariable(step: Step): boolean {
  const named =
    step.type === 'read' || step.type === 'write' || step.type === 'list'
      ? [step.path]
      : step.type === 'search'
        ? [step.query, step.path]
        : []
  return named.some((text) => text !== null && /[$`]/.test(text))
}

function isPatch(stage: Stage): boolean {
  const [program] = stage.words
  return program === 'apply_patch' || program === 'applypatch'
}

/**
 * The files that a pipeline writes: empty for none, null when that cannot be told or when it does more than making
 * text. All of its programs but a `tee` at the end have to be known.
 */
function targetsOf(stages: readonly Stage[]): string[] | null {
  const targets: ShellWord[] = []
  for (const [i, stage] of stages.entries()) {
    const isLast = i === stages.length - 1
    if (stage.targets.length > 0 && !isLast) return null
    targets.push(...stage.targets)
    const program = programOf(stage)
    if (program === 'tee' && isLast) targets.push(...teed(stage))
    else if (stage.words.length > 0 && !isHarmless(stage, program)) return null
  }
  return targets.every((target): target is string => target !== null && target !== '') ? targets : null
}

function teed({ words }: Stage): ShellWord[] {
  const { operands } = parseOptions(words.slice(1), valued(''))
  return operands.filter((word) => word === null || !isDevice(word))
}

/** Does the program leave everything as it was? */
function isHarmless(stage: Stage, program: string | null): boolean {
  if (program === null) return false
  const finder = FINDERS.get(program)
  // A pattern may come out of a file, or of the output of another program: that is a search still, but not a known one.
  if (finder !== undefined) return finder(stage) !== null || program.endsWith('grep')
  if (READERS.has(program) && program !== 'sed') return true
  if (!FILTERS.has(program)) return false
  return !stage.words.some((word) => word !== null && WRITING_OPTIONS[program]?.test(word) === true)
}

/** Options by which a filter writes a file. */
const WRITING_OPTIONS: Readonly<Record<string, RegExp>> = {
  sed: /^(?:-[a-zA-Z]*i|--in-place)/,
  sort: /^(?:-[a-zA-Z]*o|--output)/,
  yq: /^(?:-[a-zA-Z]*i|--inplace)/,
}

/** The lines that the rest of a pipeline leaves of one file: `nl f | sed -n '5,9p'`. */
function narrowedBy(rest: readonly Stage[], reads: readonly FileLines[]): readonly FileLines[] {
  let [only, ...others] = reads
  if (only === undefined || others.length > 0) return reads
  for (const stage of rest) {
    const lines = narrowed(only, stage)
    if (lines === null) break
    only = { path: only.path, ...lines }
  }
  return [only]
}

function readSteps(reads: readonly FileLines[], dir: string | null): readonly Step[] | null {
  return bounded(reads.map((lines) => fileStep('read', inDir(lines.path, dir), lines)))
}

function written(paths: readonly string[], dir: string | null): readonly Step[] | null {
  return bounded(paths.map((path) => fileStep('write', inDir(path, dir), WHOLE)))
}

function findSteps(found: Finding, alone: boolean, dir: string | null): readonly Step[] | null {
  const paths = found.paths.map((path) => inDir(path, dir))
  const [path = dir, ...more] = paths
  if (found.type === 'list') {
    return bounded(
      more.length > 0 ? paths.map((place) => ({ type: 'list', path: place })) : [{ type: 'list', path }],
    )
  }
  const { query, exits1WhenEmpty } = found
  return [
    // The last program of a pipeline gives the exit code.
    { type: 'search', query, path: more.length > 0 ? null : path, exits1WhenEmpty: exits1WhenEmpty && alone },
  ]
}

function bounded(steps: readonly Step[]): readonly Step[] | null {
  return steps.length > 0 && steps.length <= MOST_STEPS ? steps : null
}

function inDir(path: string, dir: string | null): string {
  return dir === null ? path : resolvePath(path, dir)
}

function programOf({ words }: Stage): string | null {
  const [program] = words
  return program === null || program === undefined ? null : baseName(program)
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}
