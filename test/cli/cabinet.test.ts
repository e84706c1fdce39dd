import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ownFolder } from '../fault/folder.ts'
import { readCabinet } from '../cabinet-schema.ts'
import { projectDir } from '../shared.ts'
import { jsonLines, millrace } from './command.ts'

const run = join(projectDir, 'corpora', 'claude-stream', 'simple-run.jsonl')
const b10x = join(projectDir, 'corpora', 'b10x', 'loop.jsonl')

describe('millrace convert --to cabinet', () => {
  const folder = ownFolder('cabinet-cli')

  test('names its outputs by the language', async () => {
    const { code } = await millrace(['convert', run, b10x, '--to', 'cabinet', '-o', `${folder}/out/`])
    expect(code).toBe(0)
    expect(readdirSync(join(folder, 'out')).toSorted()).toEqual([
      'loop.cabinet.jsonl',
      'manifest.jsonl',
      'simple-run.cabinet.jsonl',
    ])
  })

  test('writes usage, plain commands and the time that was observed on demand', async () => {
    const flags = [
      '--cabinet-usage',
      '--cabinet-shell',
      'command',
      '--observed-at',
      '2026-03-01T01:00:00+01:00',
    ]
    const { stdout } = await millrace(['convert', b10x, '--to', 'cabinet', ...flags, '-q'])
    const events = readCabinet(stdout)
    expect(events.some(({ type }) => type === 'usage')).toBe(true)
    expect(new Set(events.map(({ timestamp }) => timestamp))).toEqual(new Set(['2026-03-01T00:00:00Z']))
  })

  test('says in the manifest when no time was to be had', async () => {
    await millrace(['convert', b10x, '--to', 'cabinet', '-o', `${folder}/untimed/`, '-q'])
    const [manifest] = jsonLines(readFileSync(join(folder, 'untimed', 'manifest.jsonl')))
    expect(JSON.stringify(manifest?.['notices'])).toContain('no-timestamp')
  })

  test.each([
    [['--cabinet-usage'], '--to cabinet'],
    [['--observed-at', '2026-01-01T00:00:00Z'], '--to cabinet'],
    [['--to', 'cabinet', '--provenance'], '--to metaharness'],
    [['--to', 'cabinet', '--observed-at', 'yesterday'], 'a time like'],
    [['--to', 'cabinet', '--cabinet-shell', 'guess'], 'classify, command'],
    [['--to', 'cabin'], 'metaharness, cabinet'],
  ])('refuses %j', async (flags, why) => {
    const { code, stderr } = await millrace(['convert', run, ...flags])
    expect(code).toBe(2)
    expect(stderr).toContain(why)
  })
})
