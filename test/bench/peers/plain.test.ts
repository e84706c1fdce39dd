import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, test } from 'vitest'
import { type BenchCorpus, generate } from '../../../bench/corpora.ts'
import { knownTokens, parseSums } from '../../../bench/peers/answers.ts'
import { CountingOutput, Reading } from '../../../bench/reading.ts'
import { nativeIsValid } from '../../../src/kernel/second-opinion.ts'
import { ownFolder } from '../../fault/folder.ts'

const folder = ownFolder('plain')

let corpus: BenchCorpus
beforeAll(async () => {
  const path = join(folder, 'corpus')
  corpus = await generate('plain', { dialect: 'claude-session', sizeBytes: 300_000, files: 3, path })
})

describe('the plain program', () => {
  test('counts the records', () => {
    expect(JSON.parse(plain('parse'))).toEqual({ records: corpus.facts?.records })
  })

  test.skipIf(nativeIsValid() === null)('asks simdjson about every record', () => {
    expect(JSON.parse(plain('simdjson'))).toEqual({ records: corpus.facts?.records })
  })

  test('adds up each request once, which is less than all lines', () => {
    const { lines, requests } = parseSums(plain('usage'))
    expect(requests).toEqual(corpus.facts === null ? null : knownTokens(corpus.facts))
    expect(lines.cacheRead).toBeGreaterThan(requests.cacheRead)
  })

  test('writes as many events as we do, a file each', async () => {
    const ours = await new Reading(corpus, {}, new CountingOutput()).all()
    expect(JSON.parse(plain('convert'))).toEqual({
      events: ours.reduce((sum, { events }) => sum + events, 0),
    })
    expect(readdirSync(join(folder, 'out'))).toHaveLength(corpus.files.length)
  })

  test('knows nothing else', () => {
    expect(() => plain('guess')).toThrow('there is no guess')
  })
})

function plain(what: string): string {
  const program = fileURLToPath(new URL('../../../bench/peers/plain.ts', import.meta.url))
  const files = corpus.files.map(({ path }) => path)
  const args = ['--import', 'tsx', program, what, join(folder, 'out'), ...files]
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
  return stdout
}
