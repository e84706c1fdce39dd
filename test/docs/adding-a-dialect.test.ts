import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Adapter } from '../../src/dialect/adapter.ts'
import { projectDir } from '../shared.ts'
import { translate } from '../dialect/recording-sink.ts'

const page = readFileSync(join(projectDir, 'docs/adding-a-dialect.md'), 'utf8')
const block = (language: string): string => {
  const found = new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 's').exec(page)?.[1]
  if (found === undefined) throw new Error(`the page has no block of ${language}`)
  return found
}

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(projectDir, 'test/docs/.loom-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

function isAdapter(value: unknown): value is Adapter<unknown> {
  return typeof value === 'object' && value !== null && 'step' in value && 'initial' in value
}

describe('the page on adding a dialect', () => {
  test('holds an adapter that reads the sample it shows', async () => {
    const file = join(folder, 'loom.ts')
    const dialects = join(projectDir, 'src/dialect')
    writeFileSync(
      file,
      block('ts')
        .replaceAll("from '../", `from '${dialects}/../`)
        .replaceAll("from './", `from '${dialects}/`),
    )
    const module: Record<string, unknown> = await import(file)
    const loom = module['loom']
    if (!isAdapter(loom)) throw new Error('the page exports no adapter')
    const { events, entries, bins } = translate(loom, block('json').trim().split('\n'))
    expect(events.map(({ event }) => event)).toEqual([
      'session.started',
      'text',
      'tool.requested',
      'tool.result',
      'usage',
      'session.ended',
    ])
    expect(bins).toHaveLength(6)
    expect(entries.map(({ key, tokens }) => [key, tokens.input, tokens.cacheRead, tokens.output])).toEqual([
      ['loom:r-1:1', 100, 20, 9],
    ])
  })
})
