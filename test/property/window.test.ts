import { describe, expect, test } from 'vitest'
import { Dialects } from '../../src/dialect/registry.ts'
import { NONE } from '../../src/kernel/record.ts'
import { Scanner } from '../../src/kernel/scanner.ts'
import { ChunkReader } from '../../src/pipeline/chunk-reader.ts'
import { openDocument } from '../../src/pipeline/document.ts'
import { lookAt } from '../../src/pipeline/window.ts'
import { lineByLine, NO_LIMIT, Portions, ReadingLog } from './reading.ts'

const scanner = new Scanner()
const dialects = new Dialects()

/** What the window shows, and all there is to read behind it. */
async function look(
  input: Buffer,
  chunkBytes: number,
  portion: number,
  limit = NO_LIMIT,
): Promise<unknown[]> {
  const source = new Portions(input, portion, false)
  const reader = new ChunkReader(source, scanner, { chunkBytes, lineLimit: limit, digest: false })
  const { detection, document } = await lookAt(reader, scanner, dialects, null, limit)
  const log: unknown[] = [detection.adapter.dialect, detection.run, detection.signs]
  if (document !== null) {
    document.each((item) => log.push([item.line, item.raw(item.root)]))
    return [...log, `${document.lines} lines of a document`]
  }
  const reading = new ReadingLog()
  while (await reader.next()) {
    if (reader.oversize === null) reading.scan(scanner)
    else reading.oversize(reader.oversize)
  }
  return [...log, ...reading.finish(reader.noLineEnd)]
}

const session = (i: number): string =>
  JSON.stringify({
    type: 'user',
    sessionId: `session-${i}`,
    uuid: `u${i}`,
    parentUuid: null,
    timestamp: '2026-05-04T10:00:00.000Z',
    message: { role: 'user', content: `line ${i} ${'word '.repeat(i % 40)}` },
  })
const lines = Array.from({ length: 60 }, (_, i) => session(i))

const samples: { readonly name: string; readonly text: string; readonly document?: number }[] = [
  { name: 'lines', text: `${lines.join('\n')}\n` },
  { name: 'lines without an end', text: lines.join('\n') },
  { name: 'lines that end in white space', text: `${lines.join('\r\n')}\r\n  ` },
  { name: 'a cut last line', text: `${lines.join('\n')}\n{"type":"us` },
  { name: 'one line', text: `${session(1)}\n` },
  { name: 'nothing', text: '' },
  { name: 'blank lines', text: '\n\n \n' },
  { name: 'a bracket', text: '[' },
  { name: 'a list on one line', text: `[${lines.join(',')}]\n`, document: 60 },
  { name: 'a list over lines', text: `[\n${lines.join(',\n')}\n]\n`, document: 60 },
  { name: 'a list over lines without an end', text: `[\n${lines.join(',\n')}\n]`, document: 60 },
  { name: 'a list behind a mark', text: `\ufeff[\n${lines.join(',\n')}\n]\n`, document: 60 },
  { name: 'an empty list', text: '[]\n', document: 0 },
  { name: 'an object over lines', text: '{\n"a": [\n1\n]\n}\n', document: 1 },
  { name: 'objects over lines', text: '{\n"a": 1\n}\n{\n"b": 2\n}\n', document: 2 },
  { name: 'lists one a line', text: '[1]\n[2]\n[3]\n' },
  { name: 'a list that breaks off', text: `[\n${lines.join(',\n')}\n` },
  { name: 'a list that is none', text: `[\n${lines.join('\n')}\n]\n` },
]

describe('the window shows the same, and nothing is lost behind it, whatever the size of chunks', () => {
  test.each(samples)('$name', async ({ text, document }) => {
    const input = Buffer.from(text)
    const wanted = await look(input, 1 << 20, 1 << 20)
    const isDocument = String(wanted.at(-1)).endsWith('lines of a document')
    expect(isDocument ? wanted.length - 4 : undefined).toBe(document)
    const plain = isDocument ? [] : lineByLine(scanner, input, NO_LIMIT)
    expect(wanted.slice(3, isDocument ? 3 : undefined)).toEqual(plain)
    for (const chunkBytes of [1, 7, 100, 4096, input.length, input.length + 1, 1 << 22]) {
      for (const portion of [3, 1000, 1 << 22]) {
        expect(await look(input, Math.max(1, chunkBytes), portion)).toEqual(wanted)
      }
    }
  })

  test('more than one window of lines', async () => {
    const input = Buffer.from(`${'{"type":"unheard-of","pad":"'.padEnd(200_000, 'x')}"}\n`.repeat(30))
    const wanted = await look(input, 1 << 20, 1 << 20)
    for (const chunkBytes of [1000, 150_000, 1 << 23]) {
      for (const portion of [1 << 16, 1 << 24]) expect(await look(input, chunkBytes, portion)).toEqual(wanted)
    }
    expect(wanted.at(-1)).toBe('30 lines, 0 blank, cut false')
  })

  test('a first line over the limit', async () => {
    const input = Buffer.from(`["${'x'.repeat(5000)}"]\n${lines.join('\n')}\n`)
    const wanted = await look(input, 1 << 20, 1 << 20, 4000)
    expect(wanted[3]).toMatch(/^1 oversize 5004 [0-9a-f]{64}$/)
    for (const chunkBytes of [1, 100, 4000, 6000, 1 << 22]) {
      expect(await look(input, chunkBytes, 1 << 16, 4000)).toEqual(wanted)
    }
  })
})

describe('a document', () => {
  test('tells the line each of its items begins on', async () => {
    const [, , , ...rest] = await look(Buffer.from('[\n1,\n\n{\n"a":\n2},3,\n[\n]\n]\n'), 100, 100)
    expect(rest).toEqual([[2, '1'], [4, '{\n"a":\n2}'], [6, '3'], [7, '[\n]'], '9 lines of a document'])
  })

  test('may have records below its top', async () => {
    const text = Buffer.from('{\n"id":1,\n"items":[\n{"a":1},\n{"a":2}]}\n')
    const reader = new ChunkReader(new Portions(text, 10, false), scanner, {
      chunkBytes: 10,
      lineLimit: NO_LIMIT,
      digest: false,
    })
    const document = await openDocument(reader, scanner, NO_LIMIT)
    const found: [number, string][] = []
    document?.each(
      (item) => found.push([item.line, item.raw(item.root)]),
      (record, root) => record.next(record.first(root)) ?? NONE,
    )
    expect(found.map(([line]) => line)).toEqual([1, 4, 5])
    expect(found.slice(1).map(([, raw]) => raw)).toEqual(['{"a":1}', '{"a":2}'])
  })

  test('over the limit is none, also when all of it was seen', async () => {
    const input = Buffer.from(`[\n${'1,'.repeat(2000)}\n1]\n`)
    const wanted = await look(input, 100, 100, 3000)
    expect(wanted.at(-1)).toBe('3 lines, 0 blank, cut false')
    expect(await look(input, 1 << 20, 1 << 20, 3000)).toEqual(wanted)
    expect(await look(input, 1 << 20, 1 << 20, 5000)).toHaveLength(3 + 2001 + 1)
  })

  test('costs what its size is, however many items it has', async () => {
    const input = Buffer.from(`[${'{"a":1},'.repeat(300_000)}1]\n`)
    const started = performance.now()
    const seen = await look(input, 1 << 20, 1 << 20)
    expect(seen).toHaveLength(3 + 300_001 + 1)
    // 0.3 s here; with a search to the end of the input for each item several minutes.
    expect(performance.now() - started).toBeLessThan(10_000)
  })

  test('may be one line that is longer than any window', async () => {
    const input = Buffer.from(`[1,"${'x'.repeat(33 * 1024 * 1024)}",2]`)
    const source = new Portions(input, 1 << 24, false)
    const own = new Scanner()
    const reader = new ChunkReader(source, own, { chunkBytes: 1 << 20, lineLimit: NO_LIMIT, digest: false })
    const { document } = await lookAt(reader, own, dialects, null, NO_LIMIT)
    const lengths: number[] = []
    document?.each((item) => lengths.push(item.rawBytes(item.root)))
    expect(lengths).toEqual([1, 33 * 1024 * 1024 + 2, 1])
  })
})
