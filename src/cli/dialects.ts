import type { Command } from 'commander'
import { Dialects } from '../dialect/registry.ts'
import { explain } from '../pipeline/explain.ts'
import { SourceError } from '../source/source-error.ts'
import { Console, plain } from './console.ts'
import { Exit } from './exit.ts'

/** Add `millrace dialects`. @param done gets its exit code */
export function dialectsCommand(program: Command, done: (code: number) => void): void {
  program
    .command('dialects')
    .summary('what is read, and how it is told apart')
    .description('List the dialects that are read, or explain how the dialect of a file was told.')
    .option('--explain <file>', 'what the first records of this file show')
    .addHelpText('after', '\nExample:\n  millrace dialects --explain run.jsonl\n')
    .action(async (flags: { explain?: string }) => {
      const console = new Console(false)
      if (flags.explain === undefined) {
        const { adapters, fallback } = new Dialects()
        for (const { dialect, summary } of [...adapters, fallback]) {
          console.data(`${dialect.padEnd(19)}${summary}\n`)
        }
        done(Exit.Ok)
        return
      }
      try {
        const { dialect, run, signs, document } = await explain(flags.explain)
        console.data(`${plain(flags.explain)}: ${dialect}${document ? ', as one JSON document' : ''}\n`)
        console.data(`run: ${run === null ? 'no id found, the file name is taken' : plain(run)}\n`)
        for (const sign of signs) {
          console.data(
            `line ${sign.line}: ${sign.weight === 'proof' ? 'proves' : 'hints at'} ${sign.dialect}: ${sign.reason}\n`,
          )
        }
        if (signs.length === 0) console.data('no record of the first 20 showed any dialect\n')
        done(Exit.Ok)
      } catch (error) {
        if (!(error instanceof SourceError)) throw error
        console.say(`millrace: ${plain(error.message)}`)
        done(Exit.Failed)
      }
    })
}
