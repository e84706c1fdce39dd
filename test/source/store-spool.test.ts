import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { tmpdir } from 'node:os'
import { gzipSync } from 'node:zlib'
import { pack } from 'tar-stream'
import { describe, expect, test } from 'vitest'
import { convert } from '../../src/pipeline/convert.ts'
import type { TranscriptResult } from '../../src/pipeline/job.ts'
import { ReplaySource, type Source } from '../../src/source/source.ts'
import { StoreSpool } from '../../src/source/store-spool.ts'
import { ownFolder } from '../fault/folder.ts'
import { projectDir } from '../shared.ts'

const folder = ownFolder('store-spool')
const store = join(projectDir, 'corpora', 'opencode-store', 'storage')
const nothing: Source = { read: () => 0, close: () => {} }

/** The files of our sample of a store, by their names below `storage`. */
const sample = readdirSync(store, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name).slice(dirname(store).length + 1))
  .toSorted()

async function archiveOf(files: readonly (readonly [name: string, content: Buffer])[]): Promise<Buffer> {
  const archive = pack()
  for (const [name, content] of files) archive.entry({ name }, content)
  archive.finalize()
  const parts: Buffer[] = []
  for await (const part of archive) if (Buffer.isBuffer(part)) parts.push(part)
  return Buffer.concat(parts)
}

async function convertedTo(input: string, to: string): Promise<readonly TranscriptResult[]> {
  const { results } = await convert({ paths: [input], jobs: 0, to: () => ({ kind: 'folder', path: to }) })
  return [...results]
}

/** One file of the sample, as a member of an archive. */
function read(name: string): readonly [string, Buffer] {
  return [name, readFileSync(join(dirname(store), name))]
}

function eventsOf(result: TranscriptResult | undefined): string {
  return readFileSync(result?.output ?? '', 'utf8')
}

function spools(): string[] {
  return readdirSync(tmpdir()).filter((name) => name.startsWith('millrace-store-'))
}

describe('a store of OpenCode in an archive', () => {
  test.each([
    { order: 'as it lies in its folder', names: sample },
    { order: 'backwards', names: sample.toReversed() },
  ])('gives the sessions that it gives as a folder, $order', async ({ order, names }) => {
    const own = join(folder, order)
    mkdirSync(join(own, 'in', 'storage'), { recursive: true })
    for (const name of names) {
      mkdirSync(dirname(join(own, 'in', name)), { recursive: true })
      writeFileSync(join(own, 'in', name), read(name)[1])
    }
    const before = spools()
    const wanted = await convertedTo(join(own, 'in'), join(own, 'plain'))
    writeFileSync(join(own, 'a.tar.gz'), gzipSync(await archiveOf(names.map(read))))
    const found = await convertedTo(join(own, 'a.tar.gz'), join(own, 'archived'))
    expect(wanted.length).toBeGreaterThan(0)
    expect(found.map(({ path }) => path)).toEqual(wanted.map(({ path }) => `a.tar/${path}`))
    for (const [i, one] of found.entries()) {
      const like = wanted[i]
      const { records, digest, parts, run, dialect } = one
      expect({ records, digest, parts, run, dialect }).toEqual({
        records: like?.records,
        digest: like?.digest,
        parts: like?.parts,
        run: like?.run,
        dialect: like?.dialect,
      })
      expect(eventsOf(one).replaceAll('a.tar/', '')).toBe(eventsOf(like))
    }
    expect(spools()).toEqual(before)
  })

  test('stands beside other transcripts, and what only looks like one is read by itself', async () => {
    const line = Buffer.from('{"type":"thread.started","thread_id":"t-1"}\n')
    const input = join(folder, 'mixed.tar')
    const looksLike: (readonly [string, Buffer])[] = [
      ['runs/session/a/run.json', line],
      ['runs/plain.jsonl', line],
    ]
    writeFileSync(input, await archiveOf([...sample.map(read), ...looksLike]))
    const results = (await convertedTo(input, join(folder, 'mixed'))).map(({ path }) => path)
    expect(results).toContain('mixed.tar/runs/session/a/run.json')
    expect(results).toContain('mixed.tar/runs/plain.jsonl')
    expect(
      results.some((path) => basename(dirname(dirname(path))) === 'session' && path.includes('storage')),
    ).toBe(true)
  })
})

test.each([
  'session/../../x.json',
  '../session/p/../x.json',
  'session/p/..',
  'a/session/p/x.jsonl',
  'session/p/x\\y.json',
])('%s is no name of a store that would be kept', async (name) => {
  const spool = new StoreSpool()
  expect(await spool.keep(name, new ReplaySource(Buffer.from('{}'), nothing))).toBe(false)
  expect([...spool.transcripts()]).toEqual([])
  spool.close()
})

test('what stands before the three folders is no path of ours', async () => {
  const spool = new StoreSpool()
  const before = existsSync(join(tmpdir(), 'millrace-outside'))
  for (const root of ['../../millrace-outside/', '/millrace-outside/', ''])
    expect(await spool.keep(`${root}session/p/x.json`, new ReplaySource(Buffer.from('{}'), nothing))).toBe(
      true,
    )
  const kept = [...spool.transcripts()]
  for (const { source } of kept) source.close()
  expect(kept.map(({ name }) => name)).toEqual([
    '../../millrace-outside/session/p/x.json',
    '/millrace-outside/session/p/x.json',
    'session/p/x.json',
  ])
  expect(existsSync(join(tmpdir(), 'millrace-outside'))).toBe(before)
  spool.close()
})
