#!/usr/bin/env node
// No ES module: Node takes longer to load its first one than to print the version.
const { readFileSync }: typeof import('node:fs') = require('node:fs')
const { join }: typeof import('node:path') = require('node:path')

// The version is asked for by scripts before every run: it must not load the rest.
const [only, ...more] = process.argv.slice(2)
if (more.length === 0 && (only === '--version' || only === '-V')) {
  process.stdout.write(`${packageVersion()}\n`)
} else {
  void run()
}

async function run(): Promise<void> {
  const { part }: typeof import('../start/part.ts') = require('../start/part.ts')
  process.exitCode = await part('program').main(process.argv.slice(2), packageVersion())
}

function packageVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(join(__dirname, '../../../package.json'), 'utf8'))
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest
    ? String(manifest.version)
    : 'unknown'
}
