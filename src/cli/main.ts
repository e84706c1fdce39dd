#!/usr/bin/env node
import { readFileSync } from 'node:fs'

// The version is asked for by scripts before every run: it must not load the rest.
const [only, ...more] = process.argv.slice(2)
if (more.length === 0 && (only === '--version' || only === '-V')) {
  process.stdout.write(`${packageVersion()}\n`)
} else {
  const { main } = await import('./program.ts')
  process.exitCode = await main(process.argv.slice(2), packageVersion())
}

function packageVersion(): string {
  // dist/src/cli/main.js or src/cli/main.ts: the manifest is above both.
  for (const up of ['../../../package.json', '../../package.json']) {
    try {
      const manifest: unknown = JSON.parse(readFileSync(new URL(up, import.meta.url), 'utf8'))
      if (typeof manifest === 'object' && manifest !== null && 'version' in manifest)
        return String(manifest.version)
    } catch {
      continue
    }
  }
  return 'unknown'
}
