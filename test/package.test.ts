import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { projectDir } from './shared.ts'

type Versions = Readonly<Record<string, string>>

interface Manifest {
  readonly bin: Versions
  readonly exports: Readonly<Record<string, unknown>>
  readonly dependencies: Versions
  readonly optionalDependencies: Versions
  readonly devDependencies: Versions
}

interface Lock {
  readonly packages: Readonly<Record<string, { readonly version?: string; readonly resolved?: string }>>
}

const manifest = readJson<Manifest>('package.json')
const lockText = read('package-lock.json')
const lock = JSON.parse(lockText) as Lock
const dependencies: Versions = {
  ...manifest.dependencies,
  ...manifest.optionalDependencies,
  ...manifest.devDependencies,
}

describe('versions', () => {
  test.each(Object.entries(dependencies))('%s is pinned to one version, %s', (_, version) => {
    expect(version).toMatch(/^\d+\.\d+\.\d+$/)
  })

  test.each(Object.entries(dependencies))('%s is locked at the pinned version', (name, version) => {
    expect(lock.packages[`node_modules/${name}`]?.version).toBe(version)
  })

  test('simdjson is optional: a machine without a compiler still gets a working millrace', () => {
    expect(manifest.optionalDependencies).toHaveProperty('simdjson')
    expect(manifest.dependencies).not.toHaveProperty('simdjson')
  })
})

describe('lock file', () => {
  test('records no download addresses, so that any registry serves it', () => {
    const addresses = Object.values(lock.packages).filter((entry) => entry.resolved !== undefined)
    expect(addresses).toEqual([])
    expect(lockText).not.toMatch(/registry\.|\.tgz"|localhost|127\.0\.0\.1/)
  })
})

describe('what is published', () => {
  test('the command has a shebang', () => {
    expect(manifest.bin).toEqual({ millrace: 'dist/src/cli/main.cjs' })
    expect(read('src/cli/main.cts').split('\n', 1)).toEqual(['#!/usr/bin/env node'])
  })

  test('the library has one entry, whose types come first', () => {
    expect(Object.keys(manifest.exports)).toEqual(['.', './package.json'])
    expect(Object.entries(manifest.exports['.'] as Versions)).toEqual([
      ['types', './dist/src/index.d.ts'],
      ['default', './dist/src/library/index.js'],
    ])
  })

  test('the package holds the command, the library, the workers and the scanner, and no sources', () => {
    const paths = packedPaths()
    const needed = [
      'dist/src/cli/main.cjs',
      'dist/src/library/index.js',
      'dist/src/start/part.cjs',
      'dist/src/start/parts.cjs',
      'dist/src/start/parts.bytecode',
      'dist/src/start/parts.LICENSES.txt',
      'dist/workers/transcripts.cjs',
      'dist/workers/digest.cjs',
      'dist/workers/decode.cjs',
      'dist/src/index.d.ts',
      'dist/src/kernel/kernel.wasm',
    ]
    expect(paths).toEqual(expect.arrayContaining([...needed, 'LICENSE', 'README.md', 'CHANGELOG.md']))
    const strays = paths.filter((path) => !path.startsWith('dist/') || /\.(map|tsbuildinfo)$/.test(path))
    expect(strays.toSorted()).toEqual(['CHANGELOG.md', 'LICENSE', 'README.md', 'package.json'])
  })
})

/** What `npm pack` would put into the package, without building it again. */
function packedPaths(): string[] {
  const args = ['pack', '--dry-run', '--json', '--ignore-scripts', '--loglevel=error']
  const npm = spawnSync('npm', args, { cwd: projectDir, encoding: 'utf8' })
  if (npm.status !== 0) throw new Error(`npm pack failed: ${npm.stderr}`)
  const [packed] = JSON.parse(npm.stdout) as [{ readonly files: readonly { readonly path: string }[] }]
  return packed.files.map((file) => file.path)
}

function read(path: string): string {
  return readFileSync(join(projectDir, path), 'utf8')
}

function readJson<T>(path: string): T {
  return JSON.parse(read(path)) as T
}
