import { Command, CommanderError } from 'commander'
import { DescriptorOutput } from '../pipeline/output.ts'
import { OutputError } from '../pipeline/output-error.ts'
import { censusCommand } from './census.ts'
import { checkCommand } from './check.ts'
import { convertCommand } from './convert.ts'
import { demo } from './demo.ts'
import { dialectsCommand } from './dialects.ts'
import { eventsCommand } from './events.ts'
import { plain } from './console.ts'
import { Exit, UsageError } from './exit.ts'
import { followCommand } from './follow.ts'
import { Interruption } from './interruption.ts'
import { usageCommand } from './usage.ts'

const COMMANDS = [
  convertCommand,
  eventsCommand,
  usageCommand,
  censusCommand,
  checkCommand,
  followCommand,
  dialectsCommand,
]

/** Run one command line. Returns the exit code; only `main` sets it. */
export async function main(args: readonly string[], version: string): Promise<number> {
  let code: number = Exit.Ok
  const program = new Command('millrace')
    .description(
      'Reads transcripts of coding-agent runs: converts them, counts what they used, says what is in them.',
    )
    .version(version)
    .showHelpAfterError('(add --help for what there is)')
    .configureOutput({
      // At once: a reader that has gone is then noticed here, and ends the command quietly.
      writeOut: (text) => new DescriptorOutput(1, '-').write(Buffer.from(text)),
      outputError: (text, write) => write(text.split('\n').map(plain).join('\n')),
    })
    .exitOverride()
  for (const add of COMMANDS) {
    add(program, (result) => {
      code = result
    })
  }
  for (const command of program.commands)
    command.exitOverride().showHelpAfterError('(add --help for what there is)')
  try {
    if (args.length === 0) {
      if (!(await demo())) program.outputHelp()
      return Exit.Ok
    }
    await program.parseAsync(args, { from: 'user' })
    return code
  } catch (error) {
    return codeOf(error)
  }
}

/** Known errors are told in one line; what is not known is a fault of ours and shows its stack. */
function codeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? Exit.Ok : Exit.Usage
  if (error instanceof OutputError && error.code === 'ERR_OUTPUT_CLOSED') return Exit.Ok
  if (error instanceof UsageError || error instanceof OutputError || error instanceof Interruption) {
    process.stderr.write(`millrace: ${plain(error.message)}\n`)
    if (error instanceof Interruption) return Exit.Interrupted
    return error instanceof UsageError ? Exit.Usage : Exit.Failed
  }
  throw error
}
