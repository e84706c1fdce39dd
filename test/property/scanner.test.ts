import { isUtf8 } from 'node:buffer'
import { isDeepStrictEqual } from 'node:util'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { RecordFlag } from '../../src/kernel/layout.ts'
import { NONE } from '../../src/kernel/record.ts'
import { nativeIsValid } from '../../src/kernel/second-opinion.ts'
import { scanned, valueOf } from '../kernel/scanning.ts'
import { damage, type Damage } from './damage.ts'
import { spelledRecord, spelledValue } from './odd-json.ts'
import { hasLoneSurrogate, type Reference, referenceRecords } from './reference.ts'
import { holds } from './seeds.ts'

const LINE_FEED = 0x0a

/** Bytes in front of everything: edges of blocks and batches then lie anywhere. */
const lead = fc.oneof(
  fc.nat({ max: 130 }),
  fc.nat({ max: 300 }).map((back) => 32 * 1024 - back),
)

function linesOf(input: Buffer): Buffer[] {
  const lines: Buffer[] = []
  let from = 0
  for (let at = input.indexOf(LINE_FEED); at >= 0; at = input.indexOf(LINE_FEED, from)) {
    lines.push(input.subarray(from, at))
    from = at + 1
  }
  if (from < input.length) lines.push(input.subarray(from))
  return lines
}

/** Compare the scan of `input` with the reference, record by record. @throws Error naming the first difference */
function compare(input: Buffer): void {
  const scanner = scanned(input)
  const lines = linesOf(input)
  let next = 0
  let blank = 0
  for (const [i, line] of lines.entries()) {
    const wanted = referenceRecords(line)
    if (wanted.length === 0) blank++
    const fail = (why: string): never => {
      throw new Error(`line ${i + 1} ${JSON.stringify(line.toString('latin1'))}: ${why}`)
    }
    for (const [nth, reference] of wanted.entries()) {
      if (next === scanner.recordCount) fail('a record is missing')
      const record = scanner.select(next++, 1)
      if (record.line !== i + 1) fail(`found on line ${record.line}`)
      const same = (record.flags & RecordFlag.SameLine) !== 0
      if (same !== nth > 0) fail(`record ${nth} says of its place: ${same}`)
      compareOne(record, reference, fail)
    }
  }
  if (next !== scanner.recordCount) throw new Error(`${scanner.recordCount} records instead of ${next}`)
  if (scanner.lineCount !== lines.length)
    throw new Error(`${scanner.lineCount} lines instead of ${lines.length}`)
  if (scanner.blankCount !== blank) throw new Error(`${scanner.blankCount} blank lines instead of ${blank}`)
}

function compareOne(
  record: ReturnType<ReturnType<typeof scanned>['select']>,
  { text }: Reference,
  fail: (why: string) => never,
): void {
  const raw = record.bytes.subarray(record.start, record.end)
  if (((record.flags & RecordFlag.BadUtf8) !== 0) === isUtf8(raw)) fail('wrong about UTF-8')
  if (record.root === NONE || text === null) {
    if (record.root !== NONE) fail('taken, though no JSON')
    if (text !== null) fail('refused, though JSON')
    if ((record.flags & RecordFlag.Unparsed) === 0) fail('refused without a flag')
    return
  }
  if ((record.flags & RecordFlag.Unparsed) !== 0) fail('taken with a flag')
  if (!isDeepStrictEqual(valueOf(record, record.root), JSON.parse(text))) fail('another value')
  if (record.raw(record.root) !== text.trim()) fail('another span')
  if (((record.flags & RecordFlag.LoneSurrogate) !== 0) !== hasLoneSurrogate(text))
    fail('wrong about surrogates')
  const isHuge = (text.replaceAll(/"(?:[^"\\]|\\.)*"/g, '').match(/-?\d[\d.eE+-]*/g) ?? []).some(
    (number) => !Number.isFinite(Number(number)),
  )
  if (isHuge && (record.flags & RecordFlag.HugeNumber) === 0) fail('a huge number went unseen')
}

describe('the scanner agrees with JSON.parse', () => {
  test('on values in any spelling', () => {
    const input = fc.tuple(lead, fc.array(spelledValue, { minLength: 1, maxLength: 6 }))
    const property = fc.property(input, ([before, values]) => {
      compare(Buffer.from(`"${'x'.repeat(before)}"\n${values.join('\n')}\n`))
    })
    holds(property, 3000)
  })

  test('on lines that were damaged, and on their neighbours', () => {
    const line = fc.tuple(
      fc.oneof(spelledRecord, spelledRecord, spelledValue),
      fc.array(damage, { maxLength: 2 }),
    )
    const input = fc.tuple(
      lead,
      fc.array(line, { minLength: 2, maxLength: 8 }),
      fc.constantFrom('\n', '\r\n'),
      fc.boolean(),
    )
    const property = fc.property(input, ([before, lines, end, isWhole]) => {
      compare(damaged(before, lines, end, isWhole))
    })
    holds(property, 6000)
  })

  test('on any bytes that look like JSON', () => {
    const byte = fc.constantFrom(...Buffer.from('"""\\\\{}[],::01e.-tn u\n\n\0 '))
    const property = fc.property(lead, fc.array(byte, { maxLength: 150 }), (before, bytes) => {
      compare(Buffer.concat([Buffer.from(`"${'x'.repeat(before)}"\n`), Buffer.from(bytes)]))
    })
    holds(property, 3000)
  })
})

describe('the scanner agrees with simdjson', () => {
  const isValid = nativeIsValid()

  test.skipIf(isValid === null)('on every line that it takes', () => {
    let taken = 0
    const line = fc.tuple(spelledValue, fc.array(damage, { maxLength: 1 }))
    const property = fc.property(fc.array(line, { minLength: 2, maxLength: 4 }), (lines) => {
      const input = damaged(0, lines, '\n', true)
      const bad = new Set<number>()
      const scanner = scanned(input)
      for (let i = 0; i < scanner.recordCount; i++) {
        const record = scanner.select(i, 1)
        if (record.root === NONE) bad.add(record.line)
      }
      for (const [i, bytes] of linesOf(input).entries()) {
        if (!isUtf8(bytes) || isValid?.(bytes.toString('utf8')) !== true) continue
        taken++
        if (bad.has(i + 1)) throw new Error(`simdjson takes ${JSON.stringify(bytes.toString('utf8'))}`)
      }
    })
    holds(property, 1500)
    expect(taken).toBeGreaterThan(1000)
  })
})

function damaged(
  before: number,
  lines: readonly [string, Damage[]][],
  end: string,
  isWhole: boolean,
): Buffer {
  const fine = lines.map(([text]) => Buffer.from(text))
  const broken = lines.map(([, damages], i) =>
    damages.reduce<Buffer>(
      (line, one) => one(line, fine[(i + 1) % fine.length] ?? line),
      fine[i] ?? Buffer.alloc(0),
    ),
  )
  const parts = broken.flatMap((line) => [line, Buffer.from(end)])
  const all = Buffer.concat([Buffer.from(`"${'x'.repeat(before)}"\n`), ...parts])
  return isWhole ? all : all.subarray(0, all.length - end.length)
}
