import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { jsonLines } from '../cli/command.ts'
import { sha256 } from '../digest.ts'
import { ownFolder } from '../fault/folder.ts'
import { projectDir } from '../shared.ts'
import { converted } from './converting.ts'

const folder = ownFolder('framed')

function file(name: string, content: string): string {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}

describe('a record of an event stream', () => {
  const odd = '{"id":"r:0","run_id":"r","type":"odd","timestamp":"t"}'

  test('is its data: line and digest are those of the data', async () => {
    const path = file('odd.sse', `: hello\n\nid: r:0\nevent: odd\ndata: ${odd}\n\n`)
    const { bytes, results } = await converted([path], { from: 'go-harness' })
    expect(jsonLines(bytes).find((line) => line['event'] === 'opaque')).toMatchObject({
      digest: sha256(odd),
      source_line: 5,
    })
    expect(results[0]).toMatchObject({
      lines: 6,
      records: { read: 1, blank: 2 },
      notices: [{ code: 'stream-comment', count: 1 }],
    })
  })

  test('over several lines is what the standard joins it to', async () => {
    const path = file('joined.sse', 'data: {"type":"odd",\ndata: "a":1}\n\ndata: {"type":"odder"}\n\n')
    const { bytes } = await converted([path])
    expect(jsonLines(bytes).filter((line) => line['event'] === 'opaque')).toMatchObject([
      { digest: sha256('{"type":"odd",\n"a":1}'), source_line: 1 },
      { digest: sha256('{"type":"odder"}'), source_line: 4 },
    ])
  })

  test('that is no JSON is one unparsed record', async () => {
    const path = file('text.sse', 'data: one\r\ndata: two\r\n\r\n')
    const { results } = await converted([path])
    expect(results[0]?.records).toMatchObject({ read: 1, unparsed: 1, blank: 1 })
  })

  test('takes its name and id from the framing when the data has none', async () => {
    const path = file('bare.sse', 'id: r:0\nevent: run.cancelled\ndata: {"run_id":"r","payload":{}}\n\n')
    const { bytes } = await converted([path], { from: 'go-harness' })
    expect(jsonLines(bytes).map((line) => line['event'])).toEqual([
      'session.started',
      'session.ended',
      'stream.closed',
    ])
    expect(jsonLines(bytes)[1]).toMatchObject({ subtype: 'run.cancelled' })
  })

  test('longer than a chunk and than the window is whole', async () => {
    const long = 'x'.repeat(3_000_000)
    const data = `{"id":"r:0","run_id":"r","type":"run.started","timestamp":"t","payload":{"prompt":"${long}"}}`
    const path = file('long.sse', `id: r:0\ndata: ${data}\n\n`)
    for (const chunkBytes of [4096, 1 << 20]) {
      const { bytes } = await converted([path], { chunkBytes })
      expect(jsonLines(bytes)[1]).toMatchObject({ event: 'injection', text: long })
    }
  })
})

describe('a capture', () => {
  const line = JSON.stringify({ type: 'thread.started', thread_id: 'th-1' })
  const framed = `{"stream":"stderr","line":"hm"}\n${JSON.stringify({ stream: 'stdout', line })}\n`

  test('is of the dialect of its lines, also when it is named', async () => {
    const path = file('capture.jsonl', framed)
    for (const from of [null, 'cabinet-raw', 'codex-exec']) {
      const { bytes, results } = await converted([path], { from })
      expect(results[0]).toMatchObject({ dialect: 'cabinet-raw', run: 'th-1' })
      expect(jsonLines(bytes).slice(0, 2)).toMatchObject([
        { event: 'warning', code: 'stderr', message: 'hm' },
        { event: 'session.started', adapter: 'codex', session_id: 'th-1' },
      ])
    }
  })

  test('has records with the digests that they have without it', async () => {
    const record = '{"type":"never.heard.of","text":"é\\n"}'
    const captured = file('odd-capture.jsonl', `${JSON.stringify({ stream: 'stdout', line: record })}\n`)
    const plain = file('odd-plain.jsonl', `${record}\n`)
    const digests = await Promise.all(
      [captured, plain].map(async (path) => jsonLines((await converted([path])).bytes)[0]?.['digest']),
    )
    expect(digests).toEqual([sha256(record), sha256(record)])
  })
})

describe('an audit log', () => {
  test('is passed over in a folder, unless it is to be checked', async () => {
    const log = readFileSync(join(projectDir, 'corpora/go-harness/audit.jsonl'), 'utf8')
    const runs = mkdtempSync(join(folder, 'runs-'))
    writeFileSync(join(runs, 'audit.jsonl'), log)
    writeFileSync(join(runs, 'run_1.jsonl'), '{"ts":"t","seq":0,"type":"run.cancelled","data":{}}\n')
    const { results } = await converted([runs])
    expect(results.filter(({ skipped }) => !skipped).map(({ path }) => path)).toEqual(['run_1.jsonl'])
  })
})

const event = (type: string, text: string): string =>
  `{"id":"r:0","run_id":"r","type":"${type}","timestamp":"t","payload":{"prompt":"${text}"}}`

describe('an event over the limit', () => {
  test.each([64, 1000, 1 << 20])('is passed over alone, in chunks of %i bytes', async (chunkBytes) => {
    const parts = [event('run.started', 'a'), event('odd.one', 'x'.repeat(5000)), event('odd.two', 'b')]
    const path = file(
      'limit.sse',
      parts.map((data, seq) => `id: r:${seq}\nevent: e\ndata: ${data}\n\n`).join(''),
    )
    const { bytes, results } = await converted([path], { chunkBytes, lineLimit: 1000 })
    expect(
      jsonLines(bytes).map((line) => line['vendor_type'] ?? line['source_line'] ?? line['event']),
    ).toEqual([7, 'session.started', 'injection', 'odd.two', 'warning', 'stream.closed'])
    expect(jsonLines(bytes)[0]).toMatchObject({
      event: 'opaque',
      source_line: 7,
      digest: sha256(`data: ${parts[1]}`),
    })
    expect(results[0]?.notices.map(({ code }) => code)).toContain('line-too-long')
    expect(results[0]).toMatchObject({ lines: 12, records: { read: 3, opaque: 2, translated: 1 } })
  })
})
