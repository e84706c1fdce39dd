import { spawnSync } from 'node:child_process'

/** Whether a program can be started by its name. */
export function hasProgram(name: string): boolean {
  return versionOf(name) !== null
}

/** The versions of the programs of the system that are measured, as they tell them. */
export function toolVersions(): Record<string, string> {
  const found = ['jq', 'cp'].map((name) => [name, versionOf(name)] as const)
  return Object.fromEntries(found.flatMap(([name, version]) => (version === null ? [] : [[name, version]])))
}

/** Of what a program says of its version the last word of the first line; null when it is not there. */
function versionOf(name: string): string | null {
  const { status, stdout } = spawnSync(name, ['--version'], { encoding: 'utf8' })
  if (status !== 0) return null
  const [line = ''] = stdout.split('\n')
  return line.trim().split(/[\s-]/).at(-1) ?? null
}
