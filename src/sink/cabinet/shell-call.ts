import { NAMES } from './argument-names.ts'
import { type CallArguments, entriesOf, type KeptText } from './call-arguments.ts'
import type { Surroundings } from './call.ts'
import { resolvePath } from './path.ts'
import { stepsOfArgv, stepsOfLine } from './shell.ts'
import type { Step } from './step.ts'

/** What a call of a shell does: its line, its program with arguments, or each of its several lines. */
export function shellSteps(input: CallArguments, around: Surroundings): readonly Step[] | null {
  const dir = input.text(NAMES.workingDirectory)
  const workingDirectory = dir === null ? null : resolvePath(dir, around.workingDirectory)
  const one = ({ kept, text }: KeptText): readonly Step[] =>
    (text === null || around.shell === 'command' ? null : stepsOfLine(text, workingDirectory)) ?? [
      { type: 'command', command: kept, workingDirectory },
    ]
  const line = input.raw ?? input.keptText(NAMES.command)
  if (line !== null) return one(line)
  const argv = wordsOf(input.plain(NAMES.command))
  if (argv !== null) {
    const command = argv.map(quoted).join(' ')
    return (
      (around.shell === 'command' ? null : stepsOfArgv(argv, workingDirectory)) ?? [
        { type: 'command', command, workingDirectory },
      ]
    )
  }
  const steps: Step[] = []
  for (const entry of entriesOf(input.plain(NAMES.commands)) ?? []) {
    const text = typeof entry === 'string' ? entry : entry.text(NAMES.command)
    if (text === null || text === '') return null
    steps.push(...one({ kept: text, text }))
  }
  return steps
}

function wordsOf(value: unknown): string[] | null {
  if (!Array.isArray(value) || value.length === 0) return null
  return value.every((word): word is string => typeof word === 'string') ? value : null
}

/** A word as a shell takes it. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}
