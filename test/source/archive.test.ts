import { createWriteStream, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import { gzipSync } from 'node:zlib'
import { pack } from 'tar-stream'
import { describe, expect, test } from 'vitest'
import { inspect } from '../../src/pipeline/count.ts'
import { convert } from '../../src/pipeline/convert.ts'
import { ownFolder } from '../fault/folder.ts'

const record = (id: string): string =>
  `{"type":"user","uuid":"${id}","parentUuid":null,"sessionId":"s-${id}","message":{"role":"user","content":"${id}"}}\n`

const folder = ownFolder('archive')

async function tarOf(name: string, add: (tar: ReturnType<typeof pack>) => void): Promise<string> {
  const file = join(folder, name)
  const tar = pack()
  add(tar)
  tar.finalize()
  const out = createWriteStream(file)
  tar.pipe(out)
  await finished(out)
  return file
}

describe('a tar', () => {
  test('gives one transcript a member, in the order of their paths', async () => {
    const file = await tarOf('a.tar', (tar) => {
      tar.entry({ name: 'runs/b.jsonl' }, record('b'))
      tar.entry({ name: 'runs/a.jsonl.gz' }, gzipSync(record('a')))
      tar.entry({ name: 'runs/notes.md' }, 'no transcript')
      tar.entry({ name: 'runs/a.meta.json' }, '{}')
      tar.entry({ name: 'runs/', type: 'directory' })
    })
    const { results } = await inspect({ paths: [file], jobs: 0 })
    expect([...results].map(({ path, dialect, run }) => [path, dialect, run])).toEqual([
      ['a.tar/runs/a.jsonl.gz', 'claude-session', 's-a'],
      ['a.tar/runs/b.jsonl', 'claude-session', 's-b'],
    ])
  })

  test('keeps hostile names inside the output folder, and leaves links out', async () => {
    const file = await tarOf('evil.tar', (tar) => {
      tar.entry({ name: '../../up.jsonl' }, record('up'))
      tar.entry({ name: '/root.jsonl' }, record('root'))
      tar.entry({ name: 'same.jsonl' }, record('one'))
      tar.entry({ name: 'same.jsonl' }, record('two'))
      tar.entry({ name: 'link.jsonl', type: 'symlink', linkname: '/etc/passwd' })
    })
    const out = join(folder, 'out')
    const { results } = await convert({ paths: [file], to: () => ({ kind: 'folder', path: out }), jobs: 0 })
    expect([...results].map(({ path }) => path)).toEqual([
      'evil.tar/__/__/up.jsonl',
      'evil.tar/root.jsonl',
      'evil.tar/same-2.jsonl',
      'evil.tar/same.jsonl',
    ])
    for (const { output } of results) expect(output?.startsWith(`${out}/evil.tar/`)).toBe(true)
    expect([...results].flatMap(({ notices }) => notices.map(({ code }) => code))).toEqual(['archive-links'])
  })

  test('that breaks off gives what came before, and says so', async () => {
    const file = await tarOf('whole.tar', (tar) => {
      tar.entry({ name: 'a.jsonl' }, record('a').repeat(100))
      tar.entry({ name: 'b.jsonl' }, record('b').repeat(100))
    })
    const { readFileSync } = await import('node:fs')
    const cut = join(folder, 'cut.tar')
    writeFileSync(cut, readFileSync(file).subarray(0, 16_000))
    const { results } = await inspect({ paths: [cut], jobs: 0 })
    expect([...results].map(({ path, broken }) => [path, broken])).toEqual([
      ['cut.tar/a.jsonl', false],
      ['cut.tar/b.jsonl', true],
    ])
  })

  test('without transcripts gives none', async () => {
    const file = await tarOf('empty.tar', (tar) => void tar.entry({ name: 'readme.md' }, 'nothing here'))
    expect((await inspect({ paths: [file], jobs: 0 })).results).toHaveLength(0)
  })
})

describe('a zip', () => {
  test('gives its members, names and all', async () => {
    const file = join(folder, 'a.zip')
    writeFileSync(
      file,
      storedZip([
        ['runs/a.jsonl', record('a')],
        ['../b.jsonl', record('b')],
        ['x/readme.md', 'no'],
      ]),
    )
    const { results } = await inspect({ paths: [file], jobs: 0 })
    expect([...results].map(({ path, run }) => [path, run])).toEqual([
      ['a.zip/__/b.jsonl', 's-b'],
      ['a.zip/runs/a.jsonl', 's-a'],
    ])
  })

  test('without its directory is refused by name', async () => {
    const file = join(folder, 'cut.zip')
    writeFileSync(file, storedZip([['a.jsonl', record('a')]]).subarray(0, 60))
    const { results } = await inspect({ paths: [file], jobs: 0 })
    expect(results.at(0)?.error?.message).toMatch(/no whole zip archive/)
  })
})

/** A zip of stored files: local headers, directory, end. */
function storedZip(files: readonly (readonly [name: string, content: string])[]): Buffer {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const [name, content] of files) {
    const bytes = Buffer.from(content)
    const fields = Buffer.alloc(26)
    fields.writeUInt16LE(20, 0)
    fields.writeUInt32LE(crc32(bytes), 10)
    fields.writeUInt32LE(bytes.length, 14)
    fields.writeUInt32LE(bytes.length, 18)
    fields.writeUInt16LE(name.length, 22)
    const local = Buffer.concat([Buffer.from('504b0304', 'hex'), fields, Buffer.from(name), bytes])
    const entry = Buffer.alloc(42)
    entry.writeUInt16LE(20, 0)
    fields.copy(entry, 2, 0, 26)
    entry.writeUInt32LE(offset, 38)
    directory.push(Buffer.from('504b0102', 'hex'), entry, Buffer.from(name))
    parts.push(local)
    offset += local.length
  }
  const listed = Buffer.concat(directory)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(files.length, 4)
  end.writeUInt16LE(files.length, 6)
  end.writeUInt32LE(listed.length, 8)
  end.writeUInt32LE(offset, 12)
  return Buffer.concat([...parts, listed, Buffer.from('504b0506', 'hex'), end])
}

function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0)
  }
  return (crc ^ 0xffffffff) >>> 0
}
