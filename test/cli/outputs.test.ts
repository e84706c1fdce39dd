import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { sha256 } from '../digest.ts'
import { filesIn, ownFolder } from '../fault/folder.ts'
import { projectDir } from '../shared.ts'
import { readStrictly } from '../strict-reader.ts'
import { jsonLines, millrace } from './command.ts'

const folder = ownFolder('outputs')
const input = join(folder, 'runs')
const loop = join(projectDir, 'corpora', 'b10x', 'loop.jsonl')
const stream = join(projectDir, 'corpora', 'claude-stream', 'simple-run.jsonl')

beforeAll(() => {
  mkdirSync(join(input, 'sub'), { recursive: true })
  mkdirSync(join(input, '.git'))
  mkdirSync(join(folder, 'other', 'runs'), { recursive: true })
  cpSync(loop, join(input, 'a.jsonl'))
  cpSync(stream, join(input, 'a.ndjson'))
  cpSync(loop, join(input, 'sub', 'b.jsonl'))
  cpSync(loop, join(input, 'sub', 'c d.log'))
  cpSync(loop, join(input, '.git', 'hidden.jsonl'))
  cpSync(loop, join(folder, 'other', 'runs', 'b.jsonl'))
  writeFileSync(join(input, 'notes.txt'), 'no transcript\n')
  writeFileSync(join(input, 'package.json'), '{}')
  symlinkSync(join(input, 'sub'), join(input, 'sub', 'round'))
})

/** Names below a folder. */
function names(out: string): string[] {
  return filesIn(out).map((path) => path.slice(out.length + 1))
}

async function convertTo(out: string, ...paths: string[]): Promise<string[]> {
  const { code, stderr } = await millrace(['convert', ...paths, '-o', out], { cwd: folder })
  expect({ code, stderr }).toMatchObject({ code: 0 })
  return names(out)
}

describe('the name of an output', () => {
  test('follows its input below a folder; two that would be alike keep their whole name', async () => {
    expect(await convertTo(join(folder, 'one'), 'runs')).toEqual([
      'a.jsonl.events.jsonl',
      'a.ndjson.events.jsonl',
      'manifest.jsonl',
      'sub/b.events.jsonl',
      'sub/c d.events.jsonl',
    ])
  })

  test('begins with the base name of its PATH when there are several, numbered if equal', async () => {
    expect(await convertTo(join(folder, 'two'), 'runs/sub', 'other/runs', 'runs')).toEqual([
      'manifest.jsonl',
      'runs-2/a.jsonl.events.jsonl',
      'runs-2/a.ndjson.events.jsonl',
      'runs-2/sub/b.events.jsonl',
      'runs-2/sub/c d.events.jsonl',
      'runs/b.events.jsonl',
      'sub/b.events.jsonl',
      'sub/c d.events.jsonl',
    ])
  })

  test('of several files of one name is numbered', async () => {
    expect(await convertTo(join(folder, 'three'), 'runs/sub/b.jsonl', 'other/runs/b.jsonl')).toEqual([
      'b-2.events.jsonl',
      'b.events.jsonl',
      'manifest.jsonl',
    ])
  })

  test('of a glob follows from where one stands', async () => {
    expect(await convertTo(join(folder, 'four'), 'runs/*/*.jsonl')).toEqual([
      'manifest.jsonl',
      'runs/sub/b.events.jsonl',
    ])
  })

  test('of a file is a file, or one in a folder', async () => {
    const file = join(folder, 'five.out')
    expect((await millrace(['convert', loop, '-o', file])).code).toBe(0)
    expect(readStrictly(readFileSync(file)).length).toBeGreaterThan(1)
    expect((await millrace(['convert', loop, '-o', `${join(folder, 'six')}/`])).code).toBe(0)
    expect(names(join(folder, 'six'))).toEqual(['loop.events.jsonl', 'manifest.jsonl'])
    mkdirSync(join(folder, 'seven'))
    expect(await convertTo(join(folder, 'seven'), loop)).toEqual(['loop.events.jsonl', 'manifest.jsonl'])
  })
})

describe('standard output and input', () => {
  test('get all streams, one after the other, in the order of paths', async () => {
    const one = await millrace(['convert', loop])
    const two = await millrace(['convert', stream, '-o', '-'])
    const all = await millrace(['convert', stream, loop])
    expect(all.stdout.equals(Buffer.concat([one.stdout, two.stdout]))).toBe(true)
    expect(all.stderr).toMatch(/^millrace: 2 transcripts, .* → \d+ events, [\d.]+ s\n$/)
  })

  test('- reads a transcript named stdin', async () => {
    const { code, stdout } = await millrace(['convert', '-'], { stdin: readFileSync(stream) })
    expect(code).toBe(0)
    const [started] = readStrictly(stdout)
    expect(started?.['transcript']).toEqual({ path: '-', digest: null, bytes: null })
    const nameless = await millrace(['convert', '-'], { stdin: '{"kind":"turn-started","turn":1}\n' })
    expect(readStrictly(nameless.stdout)[0]?.['run']).toBe('stdin')
  })

  test('a pipe gives what the file gives, but for its name', async () => {
    const piped = await millrace(['convert', '-'], { stdin: readFileSync(stream) })
    const named = await millrace(['convert', stream])
    expect(piped.stdout.toString()).toBe(named.stdout.toString().replace('"simple-run.jsonl"', '"-"'))
  })
})

describe('the manifest', () => {
  test('has a line a transcript and one of the whole, keys in order', async () => {
    const out = join(folder, 'manifest')
    await convertTo(out, 'runs')
    const lines = jsonLines(readFileSync(join(out, 'manifest.jsonl')))
    const end = lines.at(-1)
    const transcripts = lines.slice(0, -1)
    expect(transcripts.map((line) => line['path'])).toEqual([
      'a.jsonl',
      'a.ndjson',
      'sub/b.jsonl',
      'sub/c d.log',
    ])
    for (const line of transcripts) {
      expect(Object.keys(line).join(' ')).toBe(
        'format path parts dialect run digest bytes records events output output_digest completeness notices',
      )
      const raw = readFileSync(join(input, String(line['path'])))
      const written = readFileSync(join(out, String(line['output'])))
      expect(line).toMatchObject({ format: 'millrace.manifest/1', digest: sha256(raw), bytes: raw.length })
      expect(line['output_digest']).toBe(sha256(written))
      expect(line['events']).toBe(readStrictly(written).length)
      const { read, ...bins } = line['records'] as Record<string, number>
      expect(Object.keys(bins)).toEqual([
        'translated',
        'folded',
        'bookkeeping',
        'opaque',
        'unparsed',
        'blank',
      ])
      expect(Object.values(bins).reduce((sum, n) => sum + n, -(bins['blank'] ?? 0))).toBe(read)
    }
    const corpus = transcripts.map((line) => `${String(line['path'])} ${String(line['digest'])}\n`).join('')
    expect(end).toEqual({
      format: 'millrace.manifest/1',
      corpus_digest: sha256(Buffer.from(corpus)),
      transcripts: 4,
      failed: 0,
    })
  })

  test('has no digests when none are wanted, and names what failed', async () => {
    const bad = join(folder, 'bad')
    mkdirSync(bad)
    cpSync(loop, join(bad, 'good.jsonl'))
    writeFileSync(join(bad, 'wide.jsonl'), Buffer.from('\ufeff{}\n', 'utf16le'))
    const out = join(folder, 'bad-out')
    const { code, stderr } = await millrace(['convert', bad, '-o', out, '--no-digest'])
    expect(code).toBe(1)
    expect(stderr).toContain('wide.jsonl: is UTF-16; convert it to UTF-8 first')
    const [good, wide, end] = jsonLines(readFileSync(join(out, 'manifest.jsonl')))
    expect(good).toMatchObject({ digest: null, output_digest: null })
    expect(Object.keys(wide ?? {})).toEqual(['format', 'path', 'error'])
    expect(wide?.['error']).toMatchObject({ code: 'ERR_UTF16' })
    expect(end).toMatchObject({ corpus_digest: null, transcripts: 2, failed: 1 })
    expect(names(out)).toEqual(['good.events.jsonl', 'manifest.jsonl'])
  })

  test('keeps its folder from being read, also inside the input', async () => {
    const inside = join(input, 'events')
    const first = await convertTo(inside, 'runs')
    expect(await convertTo(inside, 'runs')).toEqual(first)
    const census = await millrace(['census', input])
    expect(census.stderr).toContain('millrace: 4 transcripts, ')
  })
})

describe('unreadable inputs', () => {
  test('are told, the others are converted: exit 1', async () => {
    const mixed = join(folder, 'mixed')
    mkdirSync(join(mixed, 'folder.jsonl'), { recursive: true })
    symlinkSync(join(folder, 'nowhere'), join(mixed, 'dangling.jsonl'))
    symlinkSync(join(mixed, 'circle.jsonl'), join(mixed, 'circle.jsonl'))
    symlinkSync(join(folder, 'nowhere'), join(mixed, 'dangling.lock'))
    cpSync(loop, join(mixed, 'good.jsonl'))
    const { code, stderr } = await millrace([
      'convert',
      mixed,
      join(folder, 'nowhere'),
      '-o',
      join(folder, 'mixed-out'),
    ])
    expect(code).toBe(1)
    expect(stderr).toContain('nowhere: no such file or folder; check the spelling')
    expect(stderr).toMatch(/dangling\.jsonl: no such file/)
    expect(stderr).toMatch(/circle\.jsonl: /)
    expect(stderr).toContain('3 transcripts, 2.8 KB, 32 records, 2 failed')
    expect(names(join(folder, 'mixed-out'))).toEqual(['manifest.jsonl', 'mixed/good.events.jsonl'])
  })
})

describe('events', () => {
  test('writes what convert writes of a run record', async () => {
    const out = join(folder, 'record.events.jsonl')
    const { code, stderr } = await millrace(['events', '--in', loop, '--out', out])
    expect({ code, stderr }).toEqual({ code: 0, stderr: 'millrace: 32 records → 18 events\n' })
    expect(readFileSync(out).equals(readFileSync(loop.replace('.jsonl', '.events.jsonl')))).toBe(true)
  })

  test('fails for a record that is not there', async () => {
    const { code } = await millrace(['events', '--in', join(folder, 'nowhere'), '--out', join(folder, 'x')])
    expect([1, 2]).toContain(code)
    expect(existsSync(join(folder, 'x'))).toBe(false)
  })
})
