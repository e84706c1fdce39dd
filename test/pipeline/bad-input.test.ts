import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { array, assert, asyncProperty, constantFrom, oneof, uint8Array } from 'fast-check'
import { describe, expect, test } from 'vitest'
import { countRecords } from '../../src/pipeline/count.ts'
import type { TranscriptResult } from '../../src/pipeline/job.ts'
import type { ReadOptions } from '../../src/pipeline/options.ts'
import { ownFolder } from '../fault/folder.ts'
import { readStrictly, type StrictEvent } from '../strict-reader.ts'
import { converted } from './converting.ts'

const folder = ownFolder('bad-input')
const file = join(folder, 'input.jsonl')

interface Outcome {
  readonly result: TranscriptResult
  readonly events: readonly StrictEvent[]
}

/** Convert these bytes; what is written must pass a strict reader, and the bins must add up. */
async function outcomeOf(bytes: Uint8Array | string, options: ReadOptions = {}): Promise<Outcome> {
  writeFileSync(file, bytes)
  const { bytes: stream, results } = await converted([file], options)
  const [result] = results
  if (result === undefined) throw new Error('no result')
  if (result.error !== null) return { result, events: [] }
  const { read, blank, translated, folded, bookkeeping, opaque, unparsed } = result.records
  expect(translated + folded + bookkeeping + opaque + unparsed).toBe(read)
  expect(blank).toBeGreaterThanOrEqual(0)
  return { result, events: readStrictly(stream) }
}

const user = (text: string): string =>
  `{"type":"user","sessionId":"s-1","uuid":"u-${text.length}","message":{"role":"user","content":${JSON.stringify(text)}}}`
/** A transcript of three records, the middle one as given. */
const around = (middle: string | Uint8Array): Buffer =>
  Buffer.concat([
    Buffer.from(`${user('before')}\n`),
    Buffer.from(middle),
    Buffer.from(`\n${user('behind')}\n`),
  ])
/** The texts of a stream: what came through. */
const texts = ({ events }: Outcome): unknown[] =>
  events.filter(({ event }) => event === 'injection').map((event) => event['text'])

describe('a damaged line never touches its neighbours', () => {
  test.each([
    ['not JSON', 'a note to myself', 1],
    ['a cut record', user('cut').slice(0, -9), 1],
    ['a line feed inside a string', user('x').replace('"x"', '"x\ny"'), 2],
    ['an open string', '{"type":"user', 1],
    ['an open bracket', '[[[[{"a":', 1],
    ['a closing bracket', ']', 1],
    ['a number with a leading zero', '{"a":007}', 1],
    ['NaN', '{"a":NaN}', 1],
    ['a trailing comma', '{"a":1,}', 1],
    ['single quotes', "{'a':1}", 1],
    ['a raw control character', '{"a":"\u0001"}', 1],
    ['a bad escape', '{"a":"\\x41"}', 1],
    ['half an escape', '{"a":"\\u12"}', 1],
    ['10,000 open arrays', '['.repeat(10_000), 1],
    ['10,000 levels', '['.repeat(10_000) + ']'.repeat(10_000), 1],
    ['bytes that are no UTF-8, outside of a string', Buffer.from([0xff, 0xfe, 0x80]), 1],
  ])('%s', async (_name, middle, unparsed) => {
    const outcome = await outcomeOf(around(middle))
    expect(outcome.result.records.unparsed).toBe(unparsed)
    expect(texts(outcome)).toEqual(['before', 'behind'])
    const [bad] = outcome.events.filter(({ event }) => event === 'opaque')
    expect(bad).toMatchObject({ vendor_type: null, vendor_subtype: null, source_line: 2 })
  })

  test.each([
    ['an empty line', '', 0],
    ['white space', ' \t ', 0],
    ['NULs', '\0'.repeat(70_000), 0],
  ])('%s is blank', async (_name, middle) => {
    const outcome = await outcomeOf(around(middle))
    expect(outcome.result.records).toMatchObject({ read: 2, blank: 1, unparsed: 0 })
    expect(texts(outcome)).toEqual(['before', 'behind'])
  })

  test.each([
    ['NULs before it', '\0'.repeat(5000) + user('held')],
    ['NULs behind it', user('held') + '\0'.repeat(5000)],
    ['a carriage return', `${user('held')}\r`],
    ['a byte order mark', `\ufeff${user('held')}`],
    ['U+2028 in a string', user('held').replace('"type":"user"', '"x":"\u2028","type":"user"')],
  ])('a good record is read with %s', async (_name, middle) => {
    const outcome = await outcomeOf(around(middle))
    expect(texts(outcome)).toEqual(['before', 'held', 'behind'])
    expect(outcome.result.records.unparsed).toBe(0)
  })

  test('two records on one line are both read', async () => {
    expect(texts(await outcomeOf(around(user('one') + user('two!'))))).toEqual([
      'before',
      'one',
      'two!',
      'behind',
    ])
  })
})

describe('a cut last line', () => {
  test('is told apart from a line that is no JSON', async () => {
    const cut = await outcomeOf(`${user('before')}\n${user('cut').slice(0, 40)}`)
    expect(cut.result.cut).toBe(true)
    const { report } = await countRecords({ paths: [file], jobs: 0 })
    expect([...report.census.unparsed]).toEqual([['truncated', 1]])
    expect(report.census.transcripts.completeness.truncated).toBe(1)
  })

  test('that is whole is read', async () => {
    const outcome = await outcomeOf(`${user('before')}\n${user('last')}`)
    expect(texts(outcome)).toEqual(['before', 'last'])
    expect(outcome.result.cut).toBe(false)
  })
})

const withInput = (input: string): string =>
  `{"type":"assistant","sessionId":"s-1","uuid":"u-9","message":{"id":"m","model":"x","role":"assistant","content":[{"type":"tool_use","id":"c","name":"T","input":${input}}]}}`
const inputOf = ({ events }: Outcome): unknown =>
  events.find(({ event }) => event === 'tool.requested')?.['input']
const codes = ({ result }: Outcome): string[] => result.notices.map(({ code }) => code)

describe('values that a strict reader refuses are written in their nearest form, and counted', () => {
  test.each([
    ['half a surrogate pair', '{"t":"\\ud83d x"}', { t: '\ufffd x' }, 'repaired-surrogates'],
    ['a number beyond a double', '{"n":1e999}', { n: '1e999' }, 'repaired-numbers'],
    ['bytes that are no UTF-8', Buffer.from('{"t":"a\xffb"}', 'latin1'), { t: 'a\ufffdb' }, 'repaired-utf8'],
  ])('%s', async (_name, input, expected, code) => {
    const [before, behind] = withInput('@').split('@')
    const bytes = Buffer.concat([Buffer.from(before ?? ''), Buffer.from(input), Buffer.from(`${behind}\n`)])
    const outcome = await outcomeOf(bytes)
    expect(inputOf(outcome)).toEqual(expected)
    expect(codes(outcome)).toContain(code)
    expect(outcome.result.records.unparsed).toBe(0)
  })

  test('values deeper than 120 levels, as text', async () => {
    const deep = '['.repeat(500) + ']'.repeat(500)
    const outcome = await outcomeOf(`${withInput(deep)}\n`)
    expect(JSON.stringify(inputOf(outcome))).toContain('[[[')
    expect(codes(outcome)).toContain('repaired-depths')
  })

  test.each([
    ['a key named __proto__', '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}'],
    [
      'numbers beyond 2^53, minus zero, odd spellings',
      '{"a":123456789012345678901234567890,"b":-0,"c":1E5,"d":0.10}',
    ],
    ['doubled keys', '{"a":1,"a":2}'],
    ['odd escapes', '{"a":"\\u0041\\/\\u0000\\ud83d\\ude00"}'],
  ])('but %s are left as they are', async (_name, input) => {
    writeFileSync(file, `${withInput(input)}\n`)
    const { bytes } = await converted([file])
    expect(bytes.toString()).toContain(`"input":${input}`)
    expect(Object.prototype).not.toHaveProperty('polluted')
  })
})

describe('what is no text of lines', () => {
  test.each([
    ['UTF-16, little endian', Buffer.from(`\ufeff${user('x')}\n`, 'utf16le')],
    ['UTF-16, big endian', Buffer.from(`\ufeff${user('x')}\n`, 'utf16le').swap16()],
    ['UTF-16 without a mark', Buffer.from(`${user('x')}\n`, 'utf16le')],
  ])('%s is refused by name, with the way out', async (_name, bytes) => {
    const { result } = await outcomeOf(bytes)
    expect(result.error?.code).toBe('ERR_UTF16')
    expect(result.error?.message).toMatch(/^input\.jsonl: is UTF-16; convert it to UTF-8 first/)
  })

  test('gzip is read, whatever the name says', async () => {
    expect(texts(await outcomeOf(gzipSync(`${user('packed')}\n`)))).toEqual(['packed'])
  })

  test('an empty file is an empty transcript', async () => {
    const { result, events } = await outcomeOf('')
    expect(result.records).toMatchObject({ read: 0, blank: 0 })
    expect(events.map(({ event }) => event)).toEqual(['warning', 'stream.closed'])
  })
})

describe('a line over the limit', () => {
  test.each([64, 1000, 4096, 1 << 20])('is kept as its digest, in chunks of %i bytes', async (chunkBytes) => {
    const outcome = await outcomeOf(around(user('x'.repeat(3000))), { lineLimit: 2000, chunkBytes })
    expect(texts(outcome)).toEqual(['before', 'behind'])
    expect(outcome.result.records).toMatchObject({ read: 3, opaque: 1, unparsed: 0 })
    expect(outcome.result.notices.map(({ code }) => code)).toContain('line-too-long')
  })

  test.each([64, 1000, 1 << 20])('is one byte longer, in chunks of %i bytes', async (chunkBytes) => {
    const line = user('y'.repeat(500))
    const lineLimit = Buffer.byteLength(line)
    const kept = await outcomeOf(around(line), { lineLimit, chunkBytes })
    expect(kept.result.records.opaque).toBe(0)
    const over = await outcomeOf(around(line), { lineLimit: lineLimit - 1, chunkBytes })
    expect(over.result.records.opaque).toBe(1)
  })
})

describe('any bytes at all', () => {
  const fragments = constantFrom<string | Buffer>(
    user('good'),
    '{"type":"assistant","sessionId":"s-1","message":{"content":[{"type":"text","text":"t"}]}}',
    '{"kind":"started","model":"m","published_tools":[]}',
    '{"kind":"text-delta","text":"t"}',
    '{"format":"metaharness.event/1","seq":1,"run":"r","event":"text","text":"t"}',
    '{"type":"system","subtype":"init","session_id":"s","tools":["T"],"mcp_servers":[],"slash_commands":[]}',
    '{"type":"result","session_id":"s","usage":{"input_tokens":-1},"modelUsage":{"m":null}}',
    '{"__proto__":{"type":"user"},"type":"user"}',
    '"',
    '\\',
    '\\u',
    '\\ud800',
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '1e999',
    '-',
    'null',
    '\n',
    '\r\n',
    '\0\0\0',
    '\ufeff',
    Buffer.from([0xf0, 0x9f]),
    Buffer.from([0xff]),
  )
  const soup = array(oneof(fragments, uint8Array({ maxLength: 8 }).map(Buffer.from)), { maxLength: 40 })
    // A whole record in front keeps it from being one document over several lines.
    .map((parts) =>
      Buffer.concat([Buffer.from(`${user('front')}\n`), ...parts.map((part) => Buffer.from(part))]),
    )

  test('never crash, never lose a line, never depend on the chunks', async () => {
    await assert(
      asyncProperty(soup, constantFrom(64, 97, 1 << 16), async (bytes, chunkBytes) => {
        const outcome = await outcomeOf(bytes, { chunkBytes })
        const whole = await outcomeOf(bytes, { chunkBytes: 1 << 20 })
        if (JSON.stringify(outcome) !== JSON.stringify(whole)) throw new Error('chunks matter')
        if (outcome.result.error !== null) return
        // Every line with anything on it is a record of its own, or several.
        const lines = bytes.toString('latin1').split('\n')
        const kept = lines.filter((line) => /[^\s\0\xef\xbb\xbf]/.test(line)).length
        if (outcome.result.records.read < kept) throw new Error('a line was lost')
      }),
      { numRuns: 300 },
    )
  })

  test.each(['claude-session', 'claude-stream', 'b10x', 'metaharness', 'unknown'])(
    'read as %s give a strict stream',
    async (from) => {
      await assert(
        asyncProperty(soup, async (bytes) => {
          await outcomeOf(bytes, { from })
        }),
        { numRuns: 150 },
      )
    },
  )
})
