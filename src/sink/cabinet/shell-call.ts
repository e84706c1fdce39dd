import { NAMES } from './argument-names.ts'
import { type ArgumentText, textOf } from './argument-text.ts'
import { type CallArguments, entriesOf } from './call-arguments.ts'
import type { Surroundings } from './call.ts'
import { resolvePath } from './path.ts'
import { isOtherProgram, stepsOfArgv, stepsOfLine } from './shell.ts'
import type { Step } from './step.ts'

/** What a call of a shell does: its line, its program with arguments, or each of its several lines. */
export function shellSteps(input: CallArguments, around: Surroundings): readonly Step[] | null {
  const dir = input.text(NAMES.workingDirectory)
  const workingDirectory = dir === null ? null : resolvePath(dir, around.workingDirectory)
  const line = input.raw ?? input.find(NAMES.command)
  if (line !== null) return lineSteps(line, workingDirectory, around)
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
    const each = typeof entry === 'string' ? textOf(entry) : entry.find(NAMES.command)
    if (each === null) return null
    steps.push(...lineSteps(each, workingDirectory, around))
  }
  return steps
}

function lineSteps(
  line: ArgumentText,
  workingDirectory: string | null,
  around: Surroundings,
): readonly Step[] {
  const text = around.shell === 'command' || isOtherProgram(line.head()) ? null : line.text()
  const steps = text === null ? null : stepsOfLine(text, workingDirectory)
  return steps ?? [{ type: 'command', command: line.keep(), workingDirectory }]
}

function wordsOf(value: unknown): string[] | null {
  if (!Array.isArray(value) || value.length === 0) return null
  return value.every((word): word is string => typeof word === 'string') ? value : null
}

/** A word as a shell takes it. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}
