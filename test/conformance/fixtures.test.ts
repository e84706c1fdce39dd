import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { convert } from '../../src/pipeline/convert.ts'
import type { TranscriptResult } from '../../src/pipeline/job.ts'
import { ownFolder } from '../fault/folder.ts'
import { describeWithShared, sharedDir } from '../shared.ts'
import { readStrictly, type StrictEvent } from '../strict-reader.ts'

/** What stays opaque in recordings of real runs, and why. */
const OPAQUE_IN_CAPTURES: Readonly<Record<string, string>> = {}

interface Converted {
  readonly result: TranscriptResult
  readonly events: readonly StrictEvent[]
}

const folder = join(sharedDir, 'fixtures')
const scratch = ownFolder('fixtures')
const converted: Converted[] = []

describeWithShared('every sample', () => {
  beforeAll(async () => {
    const { results } = await convert({
      paths: [folder],
      jobs: 0,
      to: () => ({ kind: 'folder', path: scratch }),
    })
    for (const result of results) {
      const events = result.output === null ? [] : readStrictly(readFileSync(result.output))
      converted.push({ result, events })
    }
  }, 120_000)

  test('is converted, and each of its records is in one bin', () => {
    const failed = converted.map(({ result }) => result).filter((result) => !isWhole(result))
    expect(failed.map(({ path, error }) => [path, error])).toEqual([])
  })

  test('has the events and the pairs of calls and results it had', async () => {
    const lines = converted.map((one) => outline(one)).toSorted()
    await expect(lines.join('\n') + '\n').toMatchFileSnapshot('fixtures.outline.txt')
  })

  test('which is a recording of a real run keeps nothing opaque without a reason', () => {
    const isCapture = realCaptures()
    const captures = converted.filter(({ result }) => isCapture(result.path))
    const seen = new Set<string>()
    for (const { result, events } of captures) {
      for (const event of events)
        if (event.event === 'opaque') seen.add(`${result.dialect} ${String(event['vendor_type'])}`)
    }
    expect(captures.length).toBeGreaterThan(30)
    expect([...seen].toSorted()).toEqual(Object.keys(OPAQUE_IN_CAPTURES).toSorted())
  })
})

function isWhole({ skipped, error, records }: TranscriptResult): boolean {
  const { read, translated, folded, bookkeeping, opaque, unparsed } = records
  return skipped || (error === null && translated + folded + bookkeeping + opaque + unparsed === read)
}

/** Its dialect, its events by type, and how its calls and results find one another. */
function outline({ result, events }: Converted): string {
  const types = new Map<string, number>()
  const asked = new Map<unknown, number>()
  const answered = new Map<unknown, number>()
  for (const event of events) {
    add(types, event.event)
    if (event.event === 'tool.requested') add(asked, event['call_id'])
    if (event.event === 'tool.result') add(answered, event['call_id'])
  }
  const counts = [...types].map(([type, count]) => `${type} ${count}`).toSorted()
  const odd = [
    ['unanswered', [...asked.keys()].filter((id) => !answered.has(id)).length],
    ['unasked', [...answered.keys()].filter((id) => !asked.has(id)).length],
    ['asked again', [...asked.values()].filter((count) => count > 1).length],
    ['answered again', [...answered.values()].filter((count) => count > 1).length],
  ].filter(([, count]) => count !== 0)
  const pairs = odd.map(([what, count]) => `${count} ${what}`).join(', ')
  return [result.path, result.dialect ?? 'none', counts.join(', '), pairs].filter(Boolean).join(' | ')
}

function add<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1)
}

/** Whether the table of origins marks a path as real output of the tool; a path there may be shortened by an ellipsis. */
function realCaptures(): (path: string) => boolean {
  const page = readFileSync(join(folder, 'vendors', 'SOURCES.md'), 'utf8')
  const marked: { readonly start: string; readonly end: string }[] = []
  let dialect = ''
  for (const line of page.split('\n')) {
    dialect = /^### (\S+)/.exec(line)?.[1] ?? dialect
    const file = /^\| `([^`]+)` .*\| R \|/.exec(line)?.[1]
    if (file === undefined) continue
    const [start = '', end = ''] = `vendors/${dialect}/${file}`.split('…')
    marked.push({ start, end })
  }
  return (path) =>
    marked.some(({ start, end }) =>
      end === '' ? path === start : path.startsWith(start) && path.endsWith(end),
    )
}
