import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { chunksOf, eachLine, eachLineOf, parseAll, readLines } from '../../bench/lines.ts'
import { ownFolder } from '../fault/folder.ts'

const folder = ownFolder('lines')

const MIB = 2 ** 20

/** Lines of lengths that fall on and around the borders of pieces, then one longer than a piece, then short ones. */
const texts = [MIB - 1, 1, MIB, 3 * MIB, 7, 2 * MIB - 1].map((length, i) =>
  String.fromCharCode(97 + i).repeat(length),
)

test.each([
  { end: '\n', what: 'with' },
  { end: '', what: 'without' },
])('a file $what a last line feed is handed out line by line, as its bytes are', ({ end }) => {
  const bytes = Buffer.from(texts.join('\n') + end)
  const path = join(folder, 'lines')
  writeFileSync(path, bytes)
  const [inMemory, fromFile]: [string[], string[]] = [[], []]
  let pieces = 0
  eachLine(bytes, (text) => inMemory.push(text))
  eachLineOf(
    path,
    (text) => fromFile.push(text),
    () => pieces++,
  )
  const wrong = [inMemory, fromFile].map((found) => found.findIndex((text, i) => text !== texts[i]))
  expect(wrong).toEqual([-1, -1])
  expect([inMemory.length, fromFile.length]).toEqual([texts.length, texts.length])
  expect(pieces).toBeGreaterThan(bytes.length / MIB - 1)
})

test('chunks are whole lines that cover everything, larger than 1 MiB only for one line', () => {
  const lines = Buffer.from(texts.map((text) => `${text}\n`).join(''))
  const chunks = chunksOf(lines)
  expect(chunks.map(({ start }) => start)).toEqual([0, ...chunks.slice(0, -1).map(({ end }) => end)])
  expect(chunks.at(-1)?.end).toBe(lines.length)
  const cut = chunks.map(({ start, end }) => lines.subarray(start, end))
  expect(cut.filter((chunk) => chunk.at(-1) !== 0x0a)).toEqual([])
  const tooLong = cut.filter((chunk) => chunk.length > MIB && chunk.indexOf('\n') < chunk.length - 1)
  expect(tooLong).toEqual([])
})

test('the whole lines of several files are read, and no cut ones', () => {
  const files = ['{}\n[1]\n', '{"a":1}\ncut', '{}\n'].map((text, i) => {
    const path = join(folder, String(i))
    writeFileSync(path, text)
    return { path, bytes: text.length }
  })
  const corpus = { name: '', path: folder, files, bytes: 0, facts: null }
  expect(readLines(corpus).toString()).toBe('{}\n[1]\n{"a":1}\n{}\n')
  expect(() => readLines({ ...corpus, files: [] })).toThrow('whole line')
})

test('JSON.parse counts records and those it refuses; blank lines are none', () => {
  expect(parseAll(Buffer.from('{}\n\n \t\n{"a":\r\n[1]\r\n"x"'))).toEqual({ records: 4, unparsed: 1 })
})
