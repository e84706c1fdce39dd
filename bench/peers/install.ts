import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { projectDir } from '../project.ts'

/** Apart from the project's own packages, so that nobody who only uses it gets them. */
const peersDir = join(projectDir, 'bench/peers')

/** Where the peers are. */
export interface Peers {
  /** A program for Node that starts the native one. */
  readonly ccusage: string
  /** A module. */
  readonly duckdb: string
  /** By the name of the package. */
  readonly versions: Readonly<Record<string, string>>
}

/**
 * Install what `bench/peers/package.json` names, in the versions of the lock file beside it, unless that was done. Needs the
 * network, once.
 *
 * `npm install`, not `npm ci`: the latter wants binaries for every platform in the lock file, also those that were
 * nowhere to be had when it was written. Nothing is saved, and no script of a package runs.
 *
 * @throws Error when it did not work; npm has said why
 */
export function installPeers(): Peers {
  const wanted = wantedVersions()
  if (!isInstalled(wanted)) {
    const args = ['install', '--no-save', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
    const { status, error } = spawnSync('npm', args, {
      cwd: peersDir,
      stdio: ['ignore', 2, 2],
      shell: process.platform === 'win32',
    })
    if (status !== 0)
      throw new Error(`the peers could not be installed: ${error?.message ?? 'npm install failed'}`)
  }
  const resolve = createRequire(join(peersDir, 'package.json')).resolve
  const ccusage = resolve('ccusage/package.json')
  return {
    ccusage: join(dirname(ccusage), binOf(ccusage)),
    duckdb: resolve('@duckdb/node-api'),
    versions: wanted,
  }
}

function wantedVersions(): Record<string, string> {
  const path = join(peersDir, 'package.json')
  const listed: { readonly dependencies: Record<string, string> } = JSON.parse(readFileSync(path, 'utf8'))
  return listed.dependencies
}

function isInstalled(wanted: Readonly<Record<string, string>>): boolean {
  return Object.entries(wanted).every(([name, version]) => {
    const path = join(peersDir, 'node_modules', name, 'package.json')
    if (!existsSync(path)) return false
    const installed: { readonly version: string } = JSON.parse(readFileSync(path, 'utf8'))
    return installed.version === version
  })
}

/** The file of the command that a package brings. */
function binOf(path: string): string {
  const { bin }: { readonly bin: string | Record<string, string> } = JSON.parse(readFileSync(path, 'utf8'))
  return typeof bin === 'string' ? bin : (Object.values(bin)[0] ?? '')
}
