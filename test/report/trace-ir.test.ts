import { describe, expect, test } from 'vitest'
import { convert } from '../../src/pipeline/convert.ts'
import { instantMs, reindented } from '../../src/report/trace-ir-values.ts'
import { projectDir } from '../shared.ts'

interface Document {
  readonly format: string
  readonly transcript_digest: string
  readonly events: readonly {
    readonly index: number
    readonly source_line: number
    readonly kind: { readonly event: string }
  }[]
  readonly requests: readonly { readonly request_id: string | null; readonly events: readonly number[] }[]
  readonly metaharness: {
    readonly events_total: number
    readonly families: Readonly<Record<string, number>>
    readonly stream_complete: boolean
    readonly closed: { readonly events: number; readonly reason: string } | null
  }
}

async function project(path: string): Promise<{ text: string; document: Document }> {
  const parts: Buffer[] = []
  const output = {
    bytes: 0,
    digest: null,
    write: (bytes: Uint8Array) => void parts.push(Buffer.from(bytes)),
    finish() {},
    abandon() {},
  }
  await convert({
    paths: [`${projectDir}/${path}`],
    to: () => ({ kind: 'stream', output }),
    traceIr: true,
    jobs: 0,
  })
  const text = Buffer.concat(parts).toString()
  return { text, document: JSON.parse(text) }
}

describe('the projection of a stream', () => {
  test('has one node a line, whatever its family, and one request a usage', async () => {
    const { text, document } = await project('corpora/metaharness/complete.jsonl')
    expect(text).toBe(`${JSON.stringify(document, null, 2)}\n`)
    expect(document.format).toBe('trace-ir/1')
    const { events, metaharness } = document
    expect(events.map(({ index }) => index)).toEqual(events.map((_, i) => i))
    const families = Object.values(metaharness.families).reduce((sum, n) => sum + n, 0)
    expect([events.length, metaharness.events_total, families]).toEqual([
      events.length,
      events.length,
      events.length,
    ])
    expect(metaharness.stream_complete).toBe(true)
    expect(metaharness.closed?.events).toBe(events.length - 1)
    const own = document.requests.filter(({ request_id }) => request_id === null)
    expect(document.requests.every(({ events: of }) => of.length > 0)).toBe(true)
    expect(own.every(({ events: of }) => of.length === 1)).toBe(true)
  })

  test('of a cut stream is not complete', async () => {
    const { document } = await project('corpora/metaharness/truncated.jsonl')
    expect(document.metaharness.stream_complete).toBe(false)
    expect(document.metaharness.closed).toBeNull()
  })

  test('of another dialect is that of the stream it becomes, and the same each time', async () => {
    const first = await project('corpora/claude-session/tool-calls.jsonl')
    const again = await project('corpora/claude-session/tool-calls.jsonl')
    expect(again.text).toBe(first.text)
    expect(first.document.events.at(-1)?.kind.event).toBe('stream_closed')
    expect(first.document.events.some(({ kind }) => kind.event === 'tool_call')).toBe(true)
  })
})

test.each([
  ['{}', '{}'],
  ['[]', '[]'],
  ['[ { } , [ ] ]', '[\n  {},\n  []\n]'],
  ['{"a":[-0,1e400],"b":"x,:{}\\""}', '{\n  "a": [\n    -0,\n    1e400\n  ],\n  "b": "x,:{}\\""\n}'],
])('%s is printed over lines with its spelling kept', (json, expected) => {
  expect(reindented(json, 0)).toBe(expected)
})

test.each([
  ['2026-05-01T09:00:00Z', Date.UTC(2026, 4, 1, 9)],
  ['2026-05-01T09:00:00.1239Z', Date.UTC(2026, 4, 1, 9) + 123],
  ['2026-12-31T23:59:60Z', Date.UTC(2027, 0, 1)],
  ['2026-05-01T09:00:00+02:00', null],
  ['2026-05-01T09:00:00', null],
  ['2026-02-30T09:00:00Z', null],
  ['2026-05-01', null],
])('%s is %s ms', (at, ms) => {
  expect(instantMs(at)).toBe(ms)
})
