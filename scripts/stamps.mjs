// What was installed and built last, so that nothing is done twice.

import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The project's folder, with a slash at its end. */
export const root = fileURLToPath(new URL('..', import.meta.url))

/** In node_modules, so that a new install forgets what an older compiler built. */
const stampPath = join(root, 'node_modules', '.millrace-stamps.json')

/**
 * SHA-256 over the names and contents of `paths`, which are files or folders
 * below the project; what does not exist counts as empty. Contents, not times:
 * switching a branch there and back builds nothing.
 *
 * @param {readonly string[]} paths
 * @param {(path: string) => boolean} [wanted] which files of a folder count
 */
export function fingerprint(paths, wanted = () => true) {
  const hash = createHash('sha256')
  for (const path of paths.flatMap(filesBelow).filter(wanted).toSorted()) {
    const bytes = readFileSync(join(root, path))
    hash.update(`${path}\0${bytes.length}\0`).update(bytes)
  }
  return hash.digest('hex')
}

/**
 * @param {string} path
 * @returns {string[]} relative to the project, with forward slashes
 */
export function filesBelow(path) {
  const found = statSync(join(root, path), { throwIfNoEntry: false })
  if (!found?.isDirectory()) return found ? [path] : []
  return readdirSync(join(root, path)).flatMap((name) => filesBelow(`${path}/${name}`))
}

/** @returns {Record<string, string>} by step; empty when nothing was ever done */
export function readStamps() {
  try {
    return JSON.parse(readFileSync(stampPath, 'utf8'))
  } catch {
    return {}
  }
}

/**
 * @param {string} step
 * @param {string} stamp
 */
export function writeStamp(step, stamp) {
  writeFileSync(stampPath, JSON.stringify({ ...readStamps(), [step]: stamp }))
}

/** One line for people. Standard output belongs to the command that follows. @param {string} text */
export function say(text) {
  process.stderr.write(`millrace: ${text}\n`)
}
