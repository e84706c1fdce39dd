#!/usr/bin/env node
// Scanner to WebAssembly, TypeScript to a few files in dist, data files beside them.
// Usage: node scripts/build.mjs [--clean]

import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bytecode, command, packCommand, packLibrary } from './pack.mjs'
import { filesBelow, fingerprint, readStamps, root, say, writeStamp } from './stamps.mjs'

const scanner = 'src/kernel/assembly/scan.ts'
const kernel = 'src/kernel/kernel.wasm'
/**
 * `--maximumMemory 65536` is 4 GiB, all that 32 bits can address: the limit that
 * counts is set where the memory is made, which is in TypeScript.
 */
const scannerOptions = `
  --enable simd --enable threads --sharedMemory --importMemory --initialMemory 1 --maximumMemory 65536
  --runtime stub -O3 --noAssert --converge`
  .trim()
  .split(/\s+/)

/** What the build is made from, bytecode by this version of Node; `built` compares it with the last build. */
function sources() {
  const scripts = ['build', 'bytecode', 'pack'].map((name) => `scripts/${name}.mjs`)
  const paths = ['src', 'workers', 'types', 'corpora/demo', 'package.json', 'tsconfig.json', ...scripts]
  return `${process.version} ${fingerprint(paths, (path) => path !== kernel)}`
}

/** @returns whether `dist` is what the sources, as they are now, would give */
export function built() {
  const whole = existsSync(join(root, kernel)) && existsSync(join(root, command))
  return whole && readStamps()['build'] === sources()
}

/** @returns {boolean} whether it worked; the compilers have said why not */
export function build() {
  const stamp = sources()
  say('building')
  if (!buildKernel() || !run('typescript/bin/tsc', ['-p', 'tsconfig.json'])) return false
  if (!packLibrary() || !packCommand()) return false
  for (const path of filesBelow('src').filter((name) => /\.(json|wasm)$/.test(name))) {
    mkdirSync(join(root, 'dist', dirname(path)), { recursive: true })
    copyFileSync(join(root, path), join(root, 'dist', path))
  }
  if (!makeBytecode()) return false
  writeStamp('build', stamp)
  return true
}

/** In a process of its own, which runs the command on the demo; what that prints is of no use here. */
function makeBytecode() {
  const args = [join(root, 'scripts/bytecode.mjs'), bytecode]
  return spawnSync(process.execPath, args, { cwd: root, stdio: ['ignore', 'ignore', 2] }).status === 0
}

/** The optimiser is slow, so the scanner has a stamp of its own. */
function buildKernel() {
  const stamp = fingerprint(['src/kernel/assembly', 'scripts/build.mjs'])
  if (existsSync(join(root, kernel)) && readStamps()['kernel'] === stamp) return true
  if (!run('assemblyscript/bin/asc.js', [scanner, '--outFile', kernel, ...scannerOptions])) return false
  writeStamp('kernel', stamp)
  return true
}

/**
 * @param {string} tool its file below node_modules
 * @param {readonly string[]} args
 */
function run(tool, args) {
  const file = join(root, 'node_modules', tool)
  return spawnSync(process.execPath, [file, ...args], { cwd: root, stdio: ['ignore', 2, 2] }).status === 0
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (process.argv.includes('--clean')) {
    rmSync(join(root, 'dist'), { recursive: true, force: true })
    rmSync(join(root, kernel), { force: true })
  }
  if (!build()) process.exitCode = 1
}
