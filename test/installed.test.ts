import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { ownFolder } from './fault/folder.ts'
import { projectDir } from './shared.ts'

interface Manifest {
  readonly version: string
}
interface LockedPackage {
  readonly dev?: boolean
  readonly devOptional?: boolean
  readonly peer?: boolean
}
interface Lock {
  readonly packages: Readonly<Record<string, LockedPackage>>
}

const folder = ownFolder('installed')
const app = join(folder, 'app')

/**
 * The package as npm makes it, installed into an empty folder. Nothing is fetched: what it depends on was installed there
 * before, from this checkout, as if by another package.
 */
beforeAll(() => {
  mkdirSync(app)
  writeFileSync(join(app, 'package.json'), '{"private":true}')
  for (const path of runtimePackages()) cpSync(join(projectDir, path), join(app, path), { recursive: true })
  run(projectDir, 'npm', ['pack', '--ignore-scripts', '--loglevel=error', '--pack-destination', folder])
  const packed = join(folder, `millrace-${readJson<Manifest>('package.json').version}.tgz`)
  const offline = ['--offline', '--cache', join(folder, 'cache'), '--ignore-scripts', '--omit=optional']
  run(app, 'npm', ['install', ...offline, '--no-audit', '--no-fund', '--loglevel=error', packed])
})

test('the installed command says its version', () => {
  expect(millrace('--version').stdout).toBe(`${readJson<Manifest>('package.json').version}\n`)
})

test('the installed command converts transcripts, with workers', () => {
  const samples = join(projectDir, 'corpora', 'claude-session')
  const names = ['sidechain', 'values']
  const paths = names.map((name) => join(samples, `${name}.jsonl`))
  millrace('convert', ...paths, '-o', 'out/', '--jobs', '2')
  for (const name of names) {
    const written = readFileSync(join(app, 'out', `${name}.events.jsonl`), 'latin1')
    expect(written).toBe(readFileSync(join(samples, `${name}.events.jsonl`), 'latin1'))
  }
})

test('the installed library reads transcripts', () => {
  const sample = join(projectDir, 'corpora', 'claude-session', 'sidechain.jsonl')
  const script = `
    const { countUsage } = await import('millrace')
    const { report } = await countUsage({ paths: [process.argv[1]], jobs: 0 })
    console.log(report.usage.totals.requests)`
  const { stdout } = run(app, process.execPath, ['--input-type=module', '-e', script, sample])
  expect(stdout).toBe('8\n')
})

function millrace(...args: string[]): { readonly stdout: string } {
  return run(app, join(app, 'node_modules', '.bin', 'millrace'), args)
}

function run(cwd: string, program: string, args: readonly string[]): { readonly stdout: string } {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${program} ${args[0]} ended with ${status}: ${stderr}`)
  return { stdout }
}

/**
 * What the package needs to run, as far as it is installed here: paths below the checkout. Of what is optional only binaries
 * for this machine, without which their package does not load; simdjson is large, and millrace does without.
 */
function runtimePackages(): string[] {
  const { packages } = readJson<Lock>('package-lock.json')
  return Object.entries(packages)
    .filter(([, { dev, devOptional, peer }]) => !(dev === true || devOptional === true || peer === true))
    .map(([path]) => path)
    .filter((path) => path !== '' && path !== 'node_modules/simdjson' && existsSync(join(projectDir, path)))
}

function readJson<T>(name: string): T {
  return JSON.parse(readFileSync(join(projectDir, name), 'utf8')) as T
}
