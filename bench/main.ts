import { spawnSync } from 'node:child_process'
import { compileBench } from './compile.ts'
import { parse, usage } from './request.ts'

/** Compile, then hand over to the compiled program; see `compileBench` for why. */
function main(argv: readonly string[]): number {
  if (parse(argv) === null) {
    console.log(usage)
    return 0
  }
  const child = spawnSync(process.execPath, [compileBench(), ...argv], { stdio: 'inherit' })
  return child.status ?? 1
}

try {
  process.exitCode = main(process.argv.slice(2))
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = error instanceof TypeError ? 2 : 1
}
