import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { RecordFlag } from '../../src/kernel/layout.ts'
import { INPUT_AT, Scanner } from '../../src/kernel/scanner.ts'
import { ChunkFiller } from '../../src/pipeline/chunk-filler.ts'
import { ChunkReader } from '../../src/pipeline/chunk-reader.ts'
import { planRanges, scanRange } from '../../src/pipeline/range.ts'
import { FileSource } from '../../src/source/source.ts'
import { ownFolder } from '../fault/folder.ts'
import { sha256 } from '../digest.ts'
import { damage } from './damage.ts'
import { spelledRecord } from './odd-json.ts'
import { lineByLine, NO_LIMIT, Portions, type Reading, ReadingLog } from './reading.ts'
import { holds, holdsAsync } from './seeds.ts'

const scanner = new Scanner()
const another = new Scanner()

interface Way {
  readonly chunkBytes: number
  readonly portion: number
  readonly waits: boolean
  /** Size of a window looked at first, in bytes and lines. */
  readonly window: readonly [bytes: number, lines: number] | null
}

async function inChunks(input: Buffer, lineLimit: number, way: Way): Promise<Reading> {
  const { chunkBytes, portion, waits } = way
  const source = new Portions(input, portion, waits)
  const reader = new ChunkReader(source, scanner, { chunkBytes, lineLimit, digest: true })
  if (way.window !== null) await reader.window(...way.window)
  const log = new ReadingLog()
  while (await reader.next()) {
    if (reader.oversize === null) log.scan(scanner)
    else log.oversize(reader.oversize)
  }
  if (reader.bytes !== input.length) throw new Error(`${reader.bytes} bytes read`)
  if (reader.finishDigest() !== sha256(input)) throw new Error('another digest')
  return log.finish(reader.noLineEnd)
}

/** A range says only of itself that the input was cut: of all of them one does. */
function inRanges(file: FileSource, rangeBytes: number, lineLimit: number): Reading {
  const log = new ReadingLog()
  let isCut = false
  for (const range of planRanges(file.size, rangeBytes)) {
    const seen = scanRange(file, range, lineLimit, scanner)
    log.scan(scanner)
    if (seen.oversize !== null) log.oversize(seen.oversize)
    isCut ||= seen.noLineEnd
  }
  return log.finish(isCut)
}

/** As workers get it: whole lines put into the memory of one scanner after the other. */
async function inFilled(input: Buffer, lineLimit: number, way: Way): Promise<Reading> {
  const source = new Portions(input, way.portion, way.waits)
  const filler = new ChunkFiller(source, Math.min(way.chunkBytes, lineLimit), lineLimit)
  const log = new ReadingLog()
  for (let n = 0; !filler.isOver; n++) {
    const into = n % 2 === 0 ? scanner : another
    const { bytes, cut, oversize } = await filler.fill(into)
    into.scan(INPUT_AT, INPUT_AT + bytes)
    if (cut) into.flagCut()
    log.scan(into)
    if (oversize !== null) log.oversize(oversize)
  }
  if (filler.bytes !== input.length) throw new Error(`${filler.bytes} bytes read`)
  return log.finish(filler.noLineEnd)
}

function mustEqual(found: Reading, wanted: Reading, how: string): void {
  if (JSON.stringify(found) === JSON.stringify(wanted)) return
  const at = wanted.findIndex((entry, i) => entry !== found[i])
  throw new Error(`${how}: ${JSON.stringify(found[at])} instead of ${JSON.stringify(wanted[at])}`)
}

const line = fc.oneof(
  { weight: 3, arbitrary: spelledRecord.map((text) => Buffer.from(text)) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(spelledRecord, damage)
      .map(([text, broken]) => broken(Buffer.from(text), Buffer.from('{"other":"line"}'))),
  },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom('', ' ', '\0', '\r', '{}{}', '"\r', 'x\r\r', '[1]\0')
      .map((text) => Buffer.from(text)),
  },
  { weight: 1, arbitrary: fc.nat({ max: 600 }).map((length) => Buffer.from(`["${'x'.repeat(length)}"]`)) },
)

const input = fc
  .tuple(fc.array(fc.tuple(line, fc.constantFrom('\n', '\n', '\r\n')), { maxLength: 12 }), fc.nat({ max: 2 }))
  .map(([lines, cut]) => {
    const all = Buffer.concat(lines.flatMap(([bytes, end]) => [bytes, Buffer.from(end)]))
    return all.subarray(0, Math.max(0, all.length - cut))
  })

const size = fc.oneof(fc.nat({ max: 20 }), fc.nat({ max: 2000 })).map((bytes) => bytes + 1)
const limit = fc.oneof(
  fc.constant(NO_LIMIT),
  fc.nat({ max: 700 }).map((bytes) => bytes + 1),
)
const way: fc.Arbitrary<Way> = fc.record({
  chunkBytes: size,
  portion: fc.oneof(fc.constant(1 << 20), size),
  waits: fc.boolean(),
  window: fc.option(fc.tuple(size, fc.integer({ min: 1, max: 10 })), { nil: null }),
})

const folder = ownFolder('chunks')

/** A file with these bytes, open while `use` runs. */
function withFile<T>(content: Buffer, use: (file: FileSource) => T): T {
  const path = join(folder, 'input.jsonl')
  writeFileSync(path, content)
  const file = new FileSource(path)
  try {
    return use(file)
  } finally {
    file.close()
  }
}

describe('any way of cutting the input gives the records of one scan of the whole', () => {
  test('and so do its lines one by one', () => {
    const property = fc.property(input, (bytes) => {
      const log = new ReadingLog()
      scanner.scanBytes(bytes)
      log.scan(scanner)
      mustEqual(
        log.finish(bytes.length > 0 && bytes.at(-1) !== 0x0a),
        lineByLine(scanner, bytes, NO_LIMIT),
        'the whole',
      )
    })
    holds(property, 1000)
  })

  test('in chunks of any size, read in any portions, behind any window, with any limit', async () => {
    const property = fc.asyncProperty(input, limit, way, async (bytes, lineLimit, cut) => {
      mustEqual(
        await inChunks(bytes, lineLimit, cut),
        lineByLine(scanner, bytes, lineLimit),
        JSON.stringify(cut),
      )
    })
    await holdsAsync(property, 3000)
  })

  test('in chunks that are filled for other threads', async () => {
    const property = fc.asyncProperty(input, limit, way, async (bytes, lineLimit, cut) => {
      mustEqual(
        await inFilled(bytes, lineLimit, cut),
        lineByLine(scanner, bytes, lineLimit),
        JSON.stringify(cut),
      )
    })
    await holdsAsync(property, 2000)
  })

  test('in ranges of any size up to the limit', () => {
    const property = fc.property(input, limit, size, (bytes, lineLimit, wanted) => {
      const rangeBytes = Math.min(wanted, lineLimit)
      withFile(bytes, (file) => {
        mustEqual(
          inRanges(file, rangeBytes, lineLimit),
          lineByLine(scanner, bytes, lineLimit),
          `ranges of ${rangeBytes}`,
        )
      })
    })
    holds(property, 600)
  })

  const sample = Buffer.from(
    [
      '{"a":1}',
      `{"long":"${'y'.repeat(300)}"}`,
      '',
      '{"open":"',
      '{"b":2}\r',
      '\0\0{"c":3}{"d":4}',
      `"${'\\ud83d'.repeat(40)}"`,
      '   ',
      `[${'1,'.repeat(200)}1]\r`,
      '["\ufffd","😀"]',
      '{"cut":"',
    ].join('\n'),
  )

  test.each([
    1,
    2,
    3,
    7,
    64,
    97,
    300,
    512,
    1009,
    sample.length - 1,
    sample.length,
    sample.length + 1,
    1 << 20,
  ])('of %i bytes', async (bytes) => {
    for (const lineLimit of [NO_LIMIT, 400, 310, 309, 100]) {
      for (const end of ['', '\n', '\r\n', '\r']) {
        const whole = Buffer.concat([sample, Buffer.from(end)])
        const wanted = lineByLine(scanner, whole, lineLimit)
        const plain: Way = { chunkBytes: bytes, portion: 1 << 20, waits: false, window: null }
        mustEqual(await inChunks(whole, lineLimit, plain), wanted, `chunks, limit ${lineLimit}`)
        mustEqual(await inChunks(whole, lineLimit, { ...plain, window: [100, 3] }), wanted, 'a window')
        withFile(whole, (file) => {
          const ranges = Math.min(bytes, lineLimit)
          mustEqual(inRanges(file, ranges, lineLimit), wanted, `ranges, limit ${lineLimit}`)
        })
      }
    }
  })
})

describe('a line over the limit', () => {
  test.each([
    { name: 'as long as the limit', text: 'x'.repeat(100), end: '\n', isOver: false },
    { name: 'a byte longer', text: 'x'.repeat(101), end: '\n', isOver: true },
    { name: 'a byte longer with its carriage return', text: 'x'.repeat(100), end: '\r\n', isOver: true },
    { name: 'at the end, as long as the limit', text: 'x'.repeat(100), end: '', isOver: false },
    { name: 'at the end, a byte longer', text: 'x'.repeat(101), end: '', isOver: true },
    { name: 'with carriage returns inside', text: '\rx\r\r'.repeat(40), end: '\n', isOver: true },
    { name: 'of nothing but carriage returns', text: '\r'.repeat(150), end: '\r\n', isOver: true },
    { name: 'of nothing but spaces', text: ' '.repeat(150), end: '\n', isOver: true },
  ])('$name', async ({ text, end, isOver }) => {
    const bytes = Buffer.from(`[1]\n${text}${end}${end === '' ? '' : '[2]\n'}`)
    // What stands before the line end, less one carriage return right before it or the end of the input.
    const kept = text.endsWith('\r') && !end.startsWith('\r') ? text.slice(0, -1) : text
    for (const chunkBytes of [1, 3, 50, 100, 101, 102, 103, 1000]) {
      const cut = { chunkBytes, portion: 17, waits: false, window: null }
      const found = await inChunks(bytes, 100, cut)
      expect(found[0]).toBe('1 0 false [1]')
      const over = found.filter((entry) => entry.includes('oversize'))
      expect(over).toEqual(isOver ? [`2 oversize ${kept.length} ${sha256(kept)}`] : [])
      mustEqual(found, lineByLine(scanner, bytes, 100), `chunks of ${chunkBytes}`)
    }
  })

  test('does not make the memory grow', async () => {
    const small = new Scanner()
    const before = small.memory.buffer.byteLength
    const bytes = Buffer.concat([Buffer.alloc(5_000_000, 0x78), Buffer.from('\n[1]\n')])
    const source = new Portions(bytes, 1 << 16, false)
    const reader = new ChunkReader(source, small, { chunkBytes: 10_000, lineLimit: 20_000, digest: false })
    expect(await reader.next()).toBe(true)
    expect(reader.oversize?.bytes).toBe(5_000_000)
    expect(await reader.next()).toBe(true)
    expect(small.recordCount).toBe(1)
    expect(small.select(0, 1).flags & RecordFlag.Unparsed).toBe(0)
    expect(await reader.next()).toBe(false)
    expect(small.memory.buffer.byteLength - before).toBeLessThan(1_000_000)
  })
})
