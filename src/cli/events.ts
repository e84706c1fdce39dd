import type { Command } from 'commander'
import { convert } from '../pipeline/convert.ts'
import { Console } from './console.ts'
import { interruptible } from './interruption.ts'
import { sayFailures } from './failures.ts'
import { Overview } from './overview.ts'
import { many } from './summary.ts'

/** Add `millrace events`: the name under which users of b10x know the conversion. @param done gets its exit code */
export function eventsCommand(program: Command, done: (code: number) => void): void {
  program
    .command('events')
    .summary('b10x run record to metaharness.event/1')
    .description('Translate one b10x run record into metaharness.event/1.')
    .requiredOption('--in <file>', 'the run record')
    .requiredOption('--out <file>', 'the file to write')
    .addHelpText('after', '\nExample:\n  millrace events --in run.jsonl --out run.events.jsonl\n')
    .action(async (flags: { in: string; out: string }) => {
      const console = new Console(false)
      const converted = await interruptible((signal) =>
        convert({
          paths: [flags.in],
          to: () => ({ kind: 'file', path: flags.out }),
          from: 'b10x',
          digest: false,
          signal,
        }),
      )
      const code = sayFailures(console, new Overview(converted))
      const [result] = converted.results
      if (result !== undefined && result.error === null) {
        console.summary(`millrace: ${many(result.records.read, 'record')} → ${many(result.events, 'event')}`)
      }
      done(code)
    })
}
