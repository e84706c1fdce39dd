import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describeWithout, projectDir } from './shared.ts'

/** Where the optional peers are installed for tests: apart, so that nobody who only uses the project gets them. */
export const peersDir = join(projectDir, 'test', 'peers')

const fromPeers = createRequire(join(peersDir, 'package.json'))

/** The peer, as `import` gives it where it is installed; what it exports is the caller's to know. @throws Error when it is not */
export async function loadPeer<Peer>(name: string): Promise<Peer> {
  const peer: Peer = await import(pathToFileURL(fromPeers.resolve(name)).href)
  return peer
}

/** Is the version installed that `test/peers/package.json` names, and does it run here? */
export function hasPeer(name: string): boolean {
  try {
    fromPeers(name)
    return versionOf(join(peersDir, 'node_modules', name)) === wantedPeers()[name]
  } catch {
    return false
  }
}

/** Names and versions. */
export function wantedPeers(): Readonly<Record<string, string>> {
  return manifest(peersDir).dependencies
}

/** Whether the peers have to be there: then they are installed before the tests. */
export const arePeersRequired = process.env['MILLRACE_REQUIRE_PEERS'] === '1'

/** A `describe` whose tests need the real peer; `MILLRACE_REQUIRE_PEERS=1` asks that it fail without. */
export function describeWithPeer(peer: string, name: string, body: () => void): void {
  const lack = `the optional peer ${peer} is not installed (MILLRACE_REQUIRE_PEERS=1 npm test installs it for tests)`
  describeWithout(hasPeer(peer) ? null : lack, arePeersRequired, name, body)
}

function versionOf(folder: string): string {
  return manifest(folder).version
}

function manifest(folder: string): {
  readonly version: string
  readonly dependencies: Readonly<Record<string, string>>
} {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
}
