#!/usr/bin/env node
// Makes a clone ready to run: installs when the lock file changed, builds when a
// source changed, and otherwise does nothing, quietly. npm runs it before start,
// test and bench. Plain JavaScript without dependencies, because it runs first.

import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { build, built } from './build.mjs'
import { fingerprint, readStamps, root, say, writeStamp } from './stamps.mjs'
import { takeTurn } from './turn.mjs'

const lock = 'package-lock.json'

/** Native modules are compiled for one machine and one binary interface of Node. */
const machine = `${process.platform}-${process.arch}-${process.versions.modules}`

function installStamp() {
  return `${machine} ${fingerprint([lock])}`
}

function installed() {
  return readStamps()['install'] === installStamp()
}

/**
 * Whether somebody ran npm by hand: npm leaves a copy of the lock file beside
 * what it installed. Optional packages may lack, as they may fail to compile.
 */
function installedByHand() {
  const copy = join(root, 'node_modules', '.package-lock.json')
  const before = readStamps()['install'] ?? machine
  if (!existsSync(copy) || !before.startsWith(machine)) return false
  const [wanted, found] = [join(root, lock), copy].map(
    (path) => JSON.parse(readFileSync(path, 'utf8')).packages,
  )
  return Object.entries(wanted).every(
    ([path, { version, optional }]) => path === '' || optional || found[path]?.version === version,
  )
}

function install() {
  if (installedByHand()) {
    writeStamp('install', installStamp())
    return true
  }
  say('installing packages (about half a minute, once)')
  if (!npm('ci')) {
    say('npm ci failed; trying npm install, which forgives a lock file that npm ci refuses')
    if (!npm('install', '--no-save')) return false
  }
  writeStamp('install', installStamp())
  return true
}

/**
 * Told how loud to be and what to include, since `npm start --silent` and a
 * production environment are passed on to every npm below them.
 *
 * @param {string[]} args
 */
function npm(...args) {
  const given = process.env['npm_execpath']
  const [program, first] = given ? [process.execPath, [given]] : ['npm', []]
  const options = ['--include=dev', '--include=optional', '--loglevel=error', '--no-audit', '--no-fund']
  const result = spawnSync(program, [...first, ...args, ...options], { cwd: root, stdio: ['ignore', 2, 2] })
  return result.status === 0
}

function prepare() {
  if (!installed() && !install()) {
    say(
      'the packages could not be installed. See the message of npm above; a network or a filled npm cache is needed once.',
    )
    return false
  }
  if (!built() && !build()) {
    say('the build failed. See the message of the compiler above.')
    return false
  }
  return true
}

if (!installed() || !built()) {
  const giveBack = takeTurn()
  try {
    if (!prepare()) process.exitCode = 1
  } finally {
    giveBack()
  }
}
