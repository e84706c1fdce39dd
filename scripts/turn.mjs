// One at a time: two commands started together on a fresh clone must not both install.

import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root, say } from './stamps.mjs'

/** Not in node_modules, which an install removes. */
const turnPath = join(root, '.setup-turn')

/**
 * Waits until no other process of this clone installs or builds. A turn whose
 * holder died is free.
 *
 * @returns {() => void} gives the turn back
 */
export function takeTurn() {
  for (let waited = false; !claim(); waited = true) {
    if (!waited) say('waiting for another command that is setting up this clone')
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200)
  }
  return () => rmSync(turnPath, { force: true })
}

function claim() {
  try {
    writeFileSync(turnPath, String(process.pid), { flag: 'wx' })
    return true
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
    if (!holderLives()) rmSync(turnPath, { force: true })
    return false
  }
}

function holderLives() {
  try {
    process.kill(Number(readFileSync(turnPath, 'utf8')), 0)
    return true
  } catch (error) {
    // Unknown process, or a turn just given back: free. Somebody else's process: alive.
    return codeOf(error) === 'EPERM'
  }
}

/** @param {unknown} error */
function codeOf(error) {
  return /** @type {NodeJS.ErrnoException} */ (error).code
}
