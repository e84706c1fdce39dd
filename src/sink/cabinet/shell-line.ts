import {
  type CommandArgument,
  type CommandNode,
  parse,
  type PipelineNode,
  type Redirection,
  type Word,
} from 'unbash'

type ParsedScript = ReturnType<typeof parse>

/** A word of a shell line with its quotes undone; null when only running the line would tell it (`$HOME`, `$(…)`). */
export type ShellWord = string | null

/** One program of a pipeline, with what its input and output are bound to. */
export interface Stage {
  /** The program and its arguments; empty for a bare redirection. */
  readonly words: readonly ShellWord[]
  /** The same words with their quotes undone and nothing else: `$HOME` stays. */
  readonly spelled: readonly string[]
  /** The file behind `<`; undefined without one. */
  readonly input: ShellWord | undefined
  /** Files that its output goes to; devices are left out. */
  readonly targets: readonly ShellWord[]
  /** Text of a here-document or here-string; null without one. */
  readonly body: string | null
}

/** A shell line of the form `cd A && cd B && ONE | TWO | THREE`. */
export interface ShellLine {
  /** Where each `cd` in front leads. */
  readonly dirs: readonly ShellWord[]
  readonly stages: readonly Stage[]
}

/** UTF-16 units; longer lines are not looked into. */
const LONGEST_LINE = 256 * 1024
/** Here-documents that one line of text may open: the parser's time grows with the square of their number. */
const MOST_HEREDOCS = 64
/** More `cd` in a row lead nowhere that is worth following, and each makes the path longer. */
const MOST_DIRS = 16

/**
 * Parse a shell line. Null when it is not one pipeline behind any number of `cd`: a sequence, a condition, a loop, a
 * subshell, something in the background, or a line that is no shell.
 */
export function parseShellLine(line: string): ShellLine | null {
  if (line.length > LONGEST_LINE || opensManyHeredocs(line)) return null
  const script = parsed(line)
  if (script === null || (script.errors !== undefined && script.errors.length > 0)) return null
  const sequence: PipelineNode[] = []
  for (const { command, background } of script.commands) {
    if (background === true) return null
    if (command.type !== 'AndOr') {
      sequence.push(command)
    } else if (command.operators.every((operator) => operator === '&&')) {
      sequence.push(...command.commands)
    } else {
      return null
    }
  }
  const last = sequence.pop()
  if (last === undefined || sequence.length > MOST_DIRS) return null
  const dirs: ShellWord[] = []
  for (const before of sequence) {
    const dir = dirOf(before)
    if (dir === undefined) return null
    dirs.push(dir)
  }
  const stages = stagesOf(last)
  return stages === null ? null : { dirs, stages }
}

/** Null when the line is nested too deep for the parser, which is recursive. */
function parsed(line: string): ParsedScript | null {
  try {
    return parse(line)
  } catch {
    return null
  }
}

function opensManyHeredocs(line: string): boolean {
  let count = 0
  let feed = line.indexOf('\n')
  for (let at = line.indexOf('<<'); at >= 0; at = line.indexOf('<<', at + 2)) {
    if (feed >= 0 && feed < at) {
      count = 0
      feed = line.indexOf('\n', at)
    }
    if (++count > MOST_HEREDOCS) return true
  }
  return false
}

/** Where a `cd` leads; undefined when this is none. */
function dirOf(node: PipelineNode): ShellWord | undefined {
  const stage = stageOf(node)
  if (stage === null || stage.words[0] !== 'cd' || stage.targets.length > 0) return undefined
  const operands = stage.words.slice(1).filter((word) => word !== '--' && word !== '-P' && word !== '-L')
  return operands.length === 1 ? operands[0] : undefined
}

function stagesOf(node: PipelineNode): Stage[] | null {
  if (node.type !== 'Pipeline') {
    const stage = stageOf(node)
    return stage === null ? null : [stage]
  }
  // `! grep x f` turns the outcome around; `time` does not.
  if (node.prefixes.some(({ type }) => type === 'Negation')) return null
  const stages: Stage[] = []
  for (const command of node.commands) {
    const stage = stageOf(command)
    if (stage === null) return null
    stages.push(stage)
  }
  return stages
}

function stageOf(node: PipelineNode | CommandNode): Stage | null {
  if (node.type !== 'Command') return null
  if (node.name === undefined && node.prefix.some(({ type }) => type === 'Assignment')) return null
  const named = node.name === undefined ? [] : [node.name, ...node.args]
  const words = named.map(argumentOf)
  const spelled = named.map((word) => (word.type === 'Assignment' ? word.text : word.value))
  let input: ShellWord | undefined
  let body: string | null = null
  const targets: ShellWord[] = []
  for (const redirect of node.redirects) {
    if (redirect.type === 'HereDoc') body = redirect.body.text
    else if (redirect.type === 'HereString') body = redirect.target?.value ?? ''
    else if (redirect.operator === '<' || redirect.operator === '<>') input = targetOf(redirect)
    else if (takesOutput(redirect)) targets.push(targetOf(redirect))
  }
  return {
    words,
    spelled,
    input,
    targets: targets.filter((target) => target === null || !isDevice(target)),
    body,
  }
}

/** Does the redirection send standard output into a file? `2>errors` and `2>&1` do not. */
function takesOutput(redirect: Redirection): boolean {
  const { operator, descriptor } = redirect
  if (operator === '&>' || operator === '&>>') return true
  if (operator !== '>' && operator !== '>>' && operator !== '>|') return false
  return descriptor === undefined || (descriptor.type === 'FileDescriptor' && descriptor.value === 1)
}

function targetOf(redirect: Exclude<Redirection, { type: 'HereDoc' }>): ShellWord {
  return redirect.target === undefined ? null : valueOf(redirect.target)
}

/** Reading or writing a device is no access to a file of the project. */
export function isDevice(path: string): boolean {
  return path.startsWith('/dev/')
}

function argumentOf(argument: CommandArgument): ShellWord {
  return argument.type === 'Assignment' ? argument.text : valueOf(argument)
}

function valueOf(word: Word): ShellWord {
  for (const part of word.parts ?? []) {
    const inner = part.type === 'DoubleQuoted' || part.type === 'LocaleString' ? part.parts : [part]
    if (inner.some(({ type }) => EXPANSIONS.has(type))) return null
  }
  return word.value
}

const EXPANSIONS: ReadonlySet<string> = new Set([
  'SimpleExpansion',
  'ParameterExpansion',
  'CommandExpansion',
  'ArithmeticExpansion',
  'ProcessSubstitution',
])
