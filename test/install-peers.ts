import { spawnSync } from 'node:child_process'
import { arePeersRequired, hasPeer, peersDir, wantedPeers } from './peers.ts'

/**
 * Before all tests: install the optional peers, where `MILLRACE_REQUIRE_PEERS=1` asks for the tests that need them. They are
 * compiled, which takes a minute or two, once.
 *
 * @throws Error when npm could not; it has said why
 */
export default function installPeers(): void {
  if (!arePeersRequired || Object.keys(wantedPeers()).every(hasPeer)) return
  console.warn('installing the optional peers for tests (a minute or two, once)')
  // Once more when it fails: the registry may have had a bad moment.
  const failure = install() && install()
  if (failure !== null) throw new Error(`the optional peers could not be installed: ${failure}`)
}

/** Null when it worked, else what went wrong. */
function install(): string | null {
  const { status, error } = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: peersDir,
    // One job of make for each core.
    env: { ...process.env, JOBS: 'max' },
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  })
  return status === 0 ? null : (error?.message ?? 'npm ci failed')
}
