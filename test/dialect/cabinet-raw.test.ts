import { describe, expect, test } from 'vitest'
import { b10x } from '../../src/dialect/b10x.ts'
import { captureOf } from '../../src/dialect/cabinet-raw.ts'
import { Dialects } from '../../src/dialect/registry.ts'
import { evidenceOf } from './detecting.ts'
import { binNames, translate } from './recording-sink.ts'

const err = (line: string): object => ({ stream: 'stderr', line })
const out = (line: string): object => ({ stream: 'stdout', line })
/** Records of the harness, which come as they were. */
const run = [
  { kind: 'started', model: 'm', published_tools: ['run'] },
  { kind: 'turn-started', turn: 1 },
  { kind: 'finished', stop: { kind: 'completed' }, turns: 1 },
]

describe('a capture', () => {
  test('is read by the dialect of its lines', () => {
    const alone = translate(b10x, run)
    const made = translate(captureOf(b10x), run)
    expect(made.events).toEqual(alone.events)
    expect(made.bins).toEqual(alone.bins)
    expect(made.ending).toEqual(alone.ending)
  })

  test('has warnings beside it', () => {
    const [first, ...rest] = run
    const made = translate(captureOf(b10x), [
      err('  token refreshed '),
      first ?? {},
      err(' '),
      out('Planning …'),
      ...rest,
    ])
    expect(binNames(made.bins)).toEqual([
      'Translated',
      'Translated',
      'Bookkeeping',
      'Translated',
      'Translated',
      'Translated',
    ])
    expect(made.events.filter(({ event }) => event === 'warning')).toMatchObject([
      { code: 'stderr', message: 'token refreshed' },
      { code: 'stdout', message: 'Planning …' },
    ])
    expect(made.ending).toMatchObject({ reason: 'completed', terminal: true })
  })

  test('of a harness that is not known keeps what it wrote', () => {
    const made = translate(captureOf(null), [
      out('Planning …'),
      '{"progress":0.5}',
      out('   '),
      err('odd'),
      '42',
    ])
    expect(binNames(made.bins)).toEqual(['Opaque', 'Opaque', 'Bookkeeping', 'Translated', 'Opaque'])
    expect(made.events).toMatchObject([
      { event: 'opaque', vendorType: 'stdout', block: 'Planning …' },
      { event: 'opaque', vendorType: null },
      { event: 'warning', code: 'stderr', message: 'odd' },
      { event: 'opaque' },
    ])
    expect(made.ending).toEqual({ reason: 'error', terminal: false, promised: false })
  })

  test('is told by its framing, not by its values', () => {
    expect(evidenceOf(captureOf(null), out('x'))).toBe(null)
    const dialects = new Dialects()
    expect(dialects.captured(b10x).dialect).toBe('cabinet-raw')
    expect(translate(dialects.captured(dialects.fallback), [out('x')]).ending.promised).toBe(false)
  })
})
