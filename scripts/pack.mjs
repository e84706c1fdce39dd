// TypeScript to a few files in dist: loading three hundred small modules took longer than converting a small transcript.

import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { root } from './stamps.mjs'

export const command = 'dist/src/cli/main.cjs'
export const bytecode = 'dist/src/start/parts.bytecode'
/** Packages in the packed file: the one is needed in every run, the other is an ES module and nothing else. */
const taken = ['commander', 'unbash']
/** What each kind of thread loads, by its file in `workers`. */
const threads = ['transcripts', 'digest', 'decode']

/**
 * Programs and what they share, in as few ES modules as their lazy imports allow.
 *
 * @param {readonly string[]} entries sources to start from, which keep their places below `dist`
 * @param {string} chunks folder below `dist`, two deep like the sources' own so that paths to data files hold
 * @returns {boolean} whether it worked
 */
export function packPrograms(entries, chunks) {
  rmSync(join(root, 'dist', chunks), { recursive: true, force: true })
  return packed({
    entryPoints: [...entries],
    splitting: true,
    format: 'esm',
    outbase: '.',
    outdir: 'dist',
    chunkNames: `${chunks}/[name]-[hash]`,
  })
}

/** What others import. Two deep, for the same reason. */
export function packLibrary() {
  rmSync(join(root, 'dist/src/library'), { recursive: true, force: true })
  return packed({
    entryPoints: ['src/index.ts'],
    splitting: true,
    format: 'esm',
    outdir: 'dist/src/library',
    chunkNames: '[name]-[hash]',
  })
}

/**
 * The command and what threads do, in one file that is no ES module, as only for such a file this version of Node takes
 * bytecode; what loads it (`src/start/part.ts`); and what loads that.
 */
export function packCommand() {
  const part = '../start/part.ts'
  const worked =
    packParts() &&
    packed({
      entryPoints: ['src/start/part.ts'],
      format: 'cjs',
      outfile: 'dist/src/start/part.cjs',
      define: { 'import.meta.dirname': '__dirname' },
      supported: { 'dynamic-import': true },
    }) &&
    packed({ entryPoints: ['src/cli/main.cts'], format: 'cjs', external: [part], outfile: command })
  if (!worked) return false
  const file = join(root, command)
  writeFileSync(file, readFileSync(file, 'utf8').replace(part, '../start/part.cjs'))
  chmodSync(file, 0o755)
  mkdirSync(join(root, 'dist/workers'), { recursive: true })
  for (const name of threads) {
    const line = `module.exports = require('../src/start/part.cjs').part('${name}')\n`
    writeFileSync(join(root, `dist/workers/${name}.cjs`), line)
  }
  return true
}

function packParts() {
  const parts = [['program', 'src/cli/program.ts'], ...threads.map((name) => [name, `workers/${name}.ts`])]
  const text = parts.map(([name, path]) => `exports.${name} = () => require('./${path}')`).join('\n')
  const file = 'dist/src/start/parts.cjs'
  const external = packagesLeftOut()
  const worked = packed({
    stdin: { contents: text, resolveDir: root, sourcefile: 'parts.cjs', loader: 'js' },
    format: 'cjs',
    outfile: file,
    minifyWhitespace: true,
    minifySyntax: true,
    packages: 'bundle',
    external,
    define: { 'import.meta.url': 'partsUrl' },
    banner: {
      js: '(function (require, importPackage, partsUrl) { var module = { exports: {} }, exports = module.exports;',
    },
    footer: { js: 'return module.exports })' },
    supported: { 'dynamic-import': true },
  })
  if (!worked) return false
  // Code that came as bytecode cannot import: Node does not know whose it is.
  const imports = new RegExp(`\\bimport\\("(${external.join('|')})"\\)`, 'g')
  const code = readFileSync(join(root, file), 'latin1').replaceAll(imports, 'importPackage("$1")')
  writeFileSync(join(root, file), code, 'latin1')
  // Whoever gets this file gets their code.
  const licences = taken.map(
    (name) => `${name}\n\n${readFileSync(join(root, 'node_modules', name, 'LICENSE'), 'utf8')}`,
  )
  writeFileSync(join(root, 'dist/src/start/parts.LICENSES.txt'), licences.join('\n'))
  // It belongs to one text, of which V8 only looks at the length.
  rmSync(join(root, bytecode), { force: true })
  return true
}

function packagesLeftOut() {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const { dependencies, optionalDependencies, peerDependencies } = manifest
  const names = Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })
  return names.filter((name) => !taken.includes(name))
}

/**
 * @param {import('esbuild').BuildOptions} options
 * @returns {boolean} whether it worked
 */
function packed(options) {
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
