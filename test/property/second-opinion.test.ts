import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Dialects } from '../../src/dialect/registry.ts'
import { RecordFlag } from '../../src/kernel/layout.ts'
import { INPUT_AT, Scanner } from '../../src/kernel/scanner.ts'
import { Translation } from '../../src/pipeline/translation.ts'
import { QuietSink } from '../../src/sink/quiet.ts'
import { damage } from './damage.ts'
import { spelledRecord } from './odd-json.ts'
import { holds } from './seeds.ts'

const scanner = new Scanner()

/** Counts how often the scanner and the second opinion differed. */
class Disagreements extends QuietSink {
  count = 0

  override notice(code: string): void {
    if (code === 'scanner-disagreement') this.count++
  }
}

/** Disagreements when every line of `input` is asked about twice. */
function faults(input: Buffer, spoil: (from: Scanner) => void = () => {}): number {
  const sink = new Disagreements()
  const translation = new Translation({
    adapter: new Dialects().fallback,
    dialects: null,
    context: { run: 'r', deltas: false, tolerant: true, parts: [] },
    sink,
    census: null,
    crossCheck: true,
  })
  scanner.scanBytes(input)
  spoil(scanner)
  translation.chunk(scanner)
  return sink.count
}

/** Make of the scanner one that calls a good line unparsed. */
function refuse(from: Scanner): void {
  const { words, root } = from.select(0, 1)
  const at = words.indexOf(root, INPUT_AT / 4 + 1000)
  words[at] = 0
  words[at + 1] = RecordFlag.Unparsed
}

/** Make of the scanner one that took a bad line. */
function take(from: Scanner): void {
  from.buffer.write('x', from.select(0, 1).start)
}

describe('the second opinion agrees with the scanner', () => {
  test.each([
    '{}\n',
    '\0{}\0\n\0\n{}\0{}\n',
    '\ufeff{}\n{}\ufeff{}\n1\0\n',
    '\0\u0001{}\n\0{}\u00a0\n\0{}\f\n{}\0x\n\0\v1\n',
    '{}{}x\n["\\q"]{}\n{"a":1}{"b":\n',
    '["\\ud83d",1e999]\n',
    `${'['.repeat(2000)}${']'.repeat(2000)}\n`,
    '{"cut":"',
  ])('on %j', (input) => {
    expect(faults(Buffer.from(input))).toBe(0)
    expect(faults(Buffer.concat([Buffer.from([0xff, 0x0a]), Buffer.from(input)]))).toBe(0)
  })

  test('on lines that were damaged', () => {
    const line = fc.tuple(spelledRecord, fc.array(damage, { maxLength: 2 })).map(([text, damages]) => {
      const fine = Buffer.from(text)
      return damages.reduce<Buffer>((broken, one) => one(broken, fine), fine)
    })
    const property = fc.property(fc.array(line, { minLength: 1, maxLength: 6 }), (lines) => {
      const input = Buffer.concat(lines.flatMap((bytes) => [bytes, Buffer.from('\n')]))
      if (faults(input) !== 0) throw new Error(JSON.stringify(input.toString('latin1')))
    })
    holds(property, 1500)
  })

  test('or else a fault is counted', () => {
    expect(faults(Buffer.from('{"a":1}\n'), refuse)).toBe(1)
    expect(faults(Buffer.from('{"a":1}\n'), take)).toBe(1)
  })
})
