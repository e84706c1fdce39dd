import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { countUsage } from '../pipeline/count.ts'
import { convert } from '../pipeline/convert.ts'
import { usageTable } from '../report/usage-table.ts'
import { Console } from './console.ts'
import { Overview } from './overview.ts'
import { inWords, many } from './summary.ts'
import { terminalStyle } from './style.ts'

const CORPUS = fileURLToPath(new URL('../../../corpora/demo', import.meta.url))
const OUTPUT = 'out/demo'

/** With no arguments: convert the demo corpus and print its usage. False when there is none, as in an installed package. */
export async function demo(): Promise<boolean> {
  if (!existsSync(CORPUS)) return false
  const console = new Console(false)
  const converted = await convert({ paths: [CORPUS], to: () => ({ kind: 'folder', path: OUTPUT }) })
  const overview = new Overview(converted)
  const made = many(overview.events, 'event')
  console.say(`millrace: the demo corpus: ${inWords(overview)} → ${made} in ${OUTPUT}/`)
  const { report } = await countUsage({ paths: [CORPUS], by: ['day', 'model'], zone: 'UTC' })
  console.data(usageTable(report, terminalStyle()))
  console.say(
    'millrace: try it on your own: npm start -- usage ~/.claude/projects   (npm start -- --help lists all commands)',
  )
  return true
}
