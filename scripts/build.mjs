#!/usr/bin/env node
// Scanner to WebAssembly, TypeScript to a few files in dist, data files beside them.
// Usage: node scripts/build.mjs [--clean]

import { spawnSync } from 'node:child_process'
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { filesBelow, fingerprint, readStamps, root, say, writeStamp } from './stamps.mjs'

const scanner = 'src/kernel/assembly/scan.ts'
const kernel = 'src/kernel/kernel.wasm'
const command = 'dist/src/cli/main.cjs'
const programs = [
  'src/cli/program.ts',
  'src/index.ts',
  'workers/transcripts.ts',
  'workers/digest.ts',
  'workers/decode.ts',
]

/**
 * `--maximumMemory 65536` is 4 GiB, all that 32 bits can address: the limit that
 * counts is set where the memory is made, which is in TypeScript.
 */
const scannerOptions = `
  --enable simd --enable threads --sharedMemory --importMemory --initialMemory 1 --maximumMemory 65536
  --runtime stub -O3 --noAssert --converge`
  .trim()
  .split(/\s+/)

/** What the build is made from; `built` compares it with the last build. */
function sources() {
  return fingerprint(
    ['src', 'workers', 'types', 'tsconfig.json', 'scripts/build.mjs'],
    (path) => path !== kernel,
  )
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
  if (!bundle(programs, 'src/chunks') || !bundleCommand()) return false
  for (const path of filesBelow('src').filter((name) => /\.(json|wasm)$/.test(name))) {
    mkdirSync(join(root, 'dist', dirname(path)), { recursive: true })
    copyFileSync(join(root, path), join(root, 'dist', path))
  }
  chmodSync(join(root, command), 0o755)
  writeStamp('build', stamp)
  return true
}

/**
 * Each program and what it shares with the others, in as few files as their lazy imports allow. Loading three hundred
 * small modules took longer than converting a small transcript, and every worker loads them anew.
 *
 * @param {readonly string[]} entries sources to start from, which keep their places below `dist`
 * @param {string} chunks folder below `dist`, two deep like the sources' own so that paths to data files hold
 * @returns {boolean} whether it worked
 */
export function bundle(entries, chunks) {
  rmSync(join(root, 'dist', chunks), { recursive: true, force: true })
  return bundled({
    entryPoints: [...entries],
    splitting: true,
    format: 'esm',
    outbase: '.',
    outdir: 'dist',
    chunkNames: `${chunks}/[name]-[hash]`,
  })
}

/** The command, which loads its program only where there is something to do. */
function bundleCommand() {
  const program = './program.ts'
  if (!bundled({ entryPoints: ['src/cli/main.cts'], format: 'cjs', external: [program], outfile: command }))
    return false
  const text = readFileSync(join(root, command), 'utf8')
  writeFileSync(join(root, command), text.replace(program, './program.js'))
  return true
}

/**
 * @param {import('esbuild').BuildOptions} options
 * @returns {boolean} whether it worked
 */
function bundled(options) {
  // Not loaded before it is needed: this file is also what notices that nothing was installed yet.
  const { buildSync } = createRequire(import.meta.url)('esbuild')
  try {
    buildSync({
      absWorkingDir: root,
      bundle: true,
      platform: 'node',
      target: 'node20',
      packages: 'external',
      sourcemap: true,
      legalComments: 'none',
      logLevel: 'warning',
      ...options,
    })
    return true
  } catch {
    return false
  }
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
