import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { discover } from '../../src/source/discover.ts'
import { asLine, LineSource } from '../../src/source/line-source.ts'
import type { Source } from '../../src/source/source.ts'
import { openDatabase } from '../../src/source/sqlite.ts'
import { openStore } from '../../src/source/store-database.ts'
import { storedSession, StoreSource } from '../../src/source/store-folder.ts'
import { converted } from '../pipeline/converting.ts'
import { sha256 } from '../digest.ts'
import { describeWithPeer, loadPeer } from '../peers.ts'
import { projectDir } from '../shared.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-store-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

function put(path: string, content: string): string {
  const file = join(folder, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, content)
  return file
}

/** All that a source gives, read a few bytes at a time. */
function textOf(source: Source, step = 7): string {
  const parts: Buffer[] = []
  for (;;) {
    const into = Buffer.alloc(step)
    const got = source.read(into, 0, step)
    if (typeof got !== 'number') throw new Error('not at once')
    if (got === 0) break
    parts.push(into.subarray(0, got))
  }
  return Buffer.concat(parts).toString()
}

const lineOf = (text: string): string => Buffer.from(asLine(Buffer.from(text))).toString()

test('values become lines, and damaged strings stay damaged', () => {
  expect(lineOf('{\r\n "a": 1\n}\n')).toBe('{\t\t "a": 1\t}\t\n')
  expect(() => JSON.parse(lineOf('{"a":"x\ny"}'))).toThrow('control character')
  expect(textOf(new LineSource([]))).toBe('')
  expect(textOf(new LineSource([Buffer.from('ab'), Buffer.from(''), Buffer.from('c')]), 1)).toBe('abc')
})

const putStore = (): void => {
  put('storage/session/prj/ses_1.json', '{"id":"ses_1"}')
  put('storage/session/prj/ses_2.json', '{"id":"other"}')
  put('storage/message/ses_1/msg_b.json', '{"id":"msg_b"}')
  put('storage/message/ses_1/msg_a.json', '{"id":\n"kept"}')
  put('storage/message/other/msg_c.json', 'not json')
  put('storage/message/gone/msg_d.json', '{"id":"../../session"}')
  put('storage/part/kept/prt_2.json', '{"p":2}')
  put('storage/part/kept/prt_1.json', '{"p":1}')
  put('storage/part/msg_c/prt_3.json', '{"p":3}')
  put('storage/todo/ses_1.json', '[]')
}

describe('a storage folder', () => {
  test('holds one transcript a session; parts are none of their own', async () => {
    putStore()
    const { roots } = await discover([folder])
    expect(roots[0]?.found.map(({ path }) => path)).toEqual([
      'storage/message/gone/msg_d.json',
      'storage/session/prj/ses_1.json',
      'storage/session/prj/ses_2.json',
      'storage/todo/ses_1.json',
    ])
  })

  test.each([
    {
      file: 'session/prj/ses_1.json',
      text: '{"id":"ses_1"}\n{"id":\t"kept"}\n{"p":1}\n{"p":2}\n{"id":"msg_b"}\n',
      parts: [
        '../../message/ses_1/msg_a.json',
        '../../part/kept/prt_1.json',
        '../../part/kept/prt_2.json',
        '../../message/ses_1/msg_b.json',
      ],
    },
    {
      file: 'session/prj/ses_2.json',
      text: '{"id":"other"}\nnot json\n{"p":3}\n',
      parts: ['../../message/other/msg_c.json', '../../part/msg_c/prt_3.json'],
    },
    { file: 'message/gone/msg_d.json', text: '{"id":"../../session"}\n', parts: [] },
  ])('$file is read with all that belongs to it', ({ file, text, parts }) => {
    putStore()
    const session = storedSession(join(folder, 'storage', file), false)
    if (session === null) throw new Error('no session')
    const source = new StoreSource(session)
    expect(textOf(source)).toBe(text)
    expect(source.parts).toEqual(parts)
  })

  test('a message that is named stands for itself, and folders that only sound alike are none', async () => {
    putStore()
    expect(storedSession(join(folder, 'storage/message/ses_1/msg_a.json'), true)).toBeNull()
    put('web/session/page.jsonl', '{}')
    put('web/message/a.json', '{}')
    const { roots } = await discover([join(folder, 'web')])
    expect(roots[0]?.found.map(({ path }) => path)).toEqual(['message/a.json', 'session/page.jsonl'])
  })

  test('its events are those expected, and the manifest can name its parts', async () => {
    const corpus = join(projectDir, 'corpora/opencode-store')
    const { bytes, results } = await converted([join(corpus, 'storage')])
    expect(bytes.toString()).toBe(readFileSync(join(corpus, 'storage.events.jsonl'), 'utf8'))
    expect(results.map(({ dialect, run, parts }) => [dialect, run, parts.length])).toEqual([
      ['opencode-store', 'ses_gone', 1],
      ['opencode-store', 'ses_tea01', 19],
      ['opencode-store', 'ses_tea02', 3],
    ])
  })

  test('another order of chunks changes nothing', async () => {
    const storage = join(projectDir, 'corpora/opencode-store/storage')
    const whole = await converted([storage])
    const small = await converted([storage], { chunkBytes: 64 })
    expect(small.bytes.equals(whole.bytes)).toBe(true)
  })
})

const absent = (): Promise<unknown> => Promise.reject(new Error('not found'))

const digest = (): string => sha256(readFileSync(join(folder, 'opencode.db')))

interface Made {
  exec(sql: string): void
  pragma(sql: string): void
  prepare(sql: string): { run(...values: unknown[]): void }
  close(): void
}

const load = (): Promise<{ readonly default: new (file: string) => Made }> => loadPeer('better-sqlite3')

async function database(): Promise<Made> {
  const { default: Database } = await load()
  return new Database(join(folder, 'opencode.db'))
}

async function make(columns: string): Promise<Made> {
  const made = await database()
  made.pragma('journal_mode = WAL')
  made.exec(`CREATE TABLE session(${columns});
    CREATE TABLE message(id TEXT, session_id TEXT, time_created INTEGER, data TEXT);
    CREATE TABLE part(id TEXT, message_id TEXT, session_id TEXT, data TEXT)`)
  return made
}
const open = (): ReturnType<typeof openStore> => openStore(join(folder, 'opencode.db'), load)
describe('a database', () => {
  const MAGIC = Buffer.concat([Buffer.from('SQLite format 3\0'), Buffer.alloc(84)])

  test('is refused by name of the peer when that is absent', async () => {
    const file = put('opencode.db', '')
    writeFileSync(file, MAGIC)
    await expect(openDatabase(file, absent)).rejects.toMatchObject({
      code: 'ERR_PEER_MISSING',
      message: expect.stringMatching(/optional peer better-sqlite3 .*npm install better-sqlite3@12/),
    })
    await expect(openDatabase(file, () => Promise.resolve({}))).rejects.toMatchObject({
      code: 'ERR_PEER_MISSING',
    })
  })

  test('fails alone, the rest of the folder is read', async () => {
    writeFileSync(put('opencode.db', ''), MAGIC)
    put('storage/session/prj/ses_1.json', '{"id":"ses_1","projectID":"p","time":{"created":1}}')
    put('storage/message/ses_1/m.json', '{"id":"m","sessionID":"ses_1","role":"user","time":{"created":1}}')
    const { results } = await converted([folder])
    expect(results.map(({ path, error }) => [path, error?.code])).toEqual([
      ['opencode.db', 'ERR_PEER_MISSING'],
      ['storage/session/prj/ses_1.json', undefined],
    ])
  })

  describeWithPeer('better-sqlite3', 'read by the real peer', () => {
    test('sessions as lines, ids put in front, the write-ahead log included', async () => {
      const made = await make(
        'id TEXT, project_id TEXT, parent_id TEXT, directory TEXT, time_created INTEGER',
      )
      made.prepare('INSERT INTO session VALUES (?, ?, ?, ?, ?)').run('ses_1', 'prj', null, '/home/dev', 5)
      made.prepare('INSERT INTO message VALUES (?, ?, ?, ?)').run('m2', 'ses_1', 2, '{\n "role": "user"\n}')
      made.prepare('INSERT INTO message VALUES (?, ?, ?, ?)').run('m1', 'ses_1', 3, '{}')
      made.prepare('INSERT INTO part VALUES (?, ?, ?, ?)').run('p1', 'm2', 'ses_1', 'broken')
      const before = digest()
      const live = await open()
      const text = textOf(live.source('ses_1'))
      live.close()
      made.close()
      expect(text.split('\n')).toEqual([
        '{"id":"ses_1","projectID":"prj","parentID":null,"directory":"/home/dev","time":{"created":5}}',
        '{"id":"m2","sessionID":"ses_1","role": "user"\t}',
        '{"id":"p1","sessionID":"ses_1","messageID":"m2","data":"broken"}',
        '{"id":"m1","sessionID":"ses_1"}',
        '',
      ])
      // Reading did not move the log into the database; closing it did.
      expect(before).not.toBe(digest())
    })

    test('a database that nobody has open is left without a trace', async () => {
      const made = await make('id TEXT, data TEXT')
      made.prepare('INSERT INTO session VALUES (?, ?)').run('ses_1', '{"id":"ses_1","title":"t"}')
      made.close()
      const before = digest()
      const quiet = await open()
      expect(quiet.sessions).toEqual(['ses_1'])
      expect(textOf(quiet.source('ses_1'))).toBe('{"id":"ses_1","id":"ses_1","title":"t"}\n')
      quiet.close()
      const { roots } = await discover([folder])
      expect([digest(), roots[0]?.found.map(({ path }) => path)]).toEqual([before, ['opencode.db']])
    })

    test('one that is damaged or holds something else', async () => {
      const other = await database()
      other.exec('CREATE TABLE x(y)')
      other.close()
      await expect(open()).rejects.toMatchObject({
        message: expect.stringMatching(/holds no sessions of OpenCode/),
      })
      writeFileSync(join(folder, 'opencode.db'), Buffer.concat([MAGIC, Buffer.alloc(4000, 7)]))
      await expect(open()).rejects.toMatchObject({ code: 'ERR_INPUT_UNREADABLE' })
    })
  })
})
