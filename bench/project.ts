import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The project's folder: the nearest one above that has a package.json, from sources and from `dist` alike. */
export const projectDir = above(dirname(fileURLToPath(import.meta.url)))

/** The command as it ships. */
export const command = join(projectDir, 'dist/src/cli/main.cjs')

function above(folder: string): string {
  return existsSync(join(folder, 'package.json')) ? folder : above(dirname(folder))
}
