import { spawn } from 'node:child_process'
import {
  appendFileSync,
  closeSync,
  existsSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { jobOptions } from '../../src/pipeline/options.ts'
import { ownFolder } from '../fault/folder.ts'
import { projectDir } from '../shared.ts'
import { converted } from './converting.ts'
import { type Following, following } from './following.ts'

const folder = ownFolder('follow-file')
let files = 0

const init =
  '{"type":"system","subtype":"init","session_id":"s-1","model":"model-1","cwd":"/home/dev/x","tools":["Bash"]}\n'
const result =
  '{"type":"result","subtype":"success","is_error":false,"session_id":"s-1","num_turns":1,"result":"bye","usage":{"input_tokens":1,"output_tokens":1}}\n'

function said(text: string): string {
  const message = {
    id: `msg_${text}`,
    role: 'assistant',
    model: 'model-1',
    content: [{ type: 'text', text }],
  }
  return `${JSON.stringify({ type: 'assistant', session_id: 's-1', parent_tool_use_id: null, message })}\n`
}

const run = [init, said('one'), said('two — é'), said('three'), result]

function newFile(text = ''): string {
  const path = join(folder, `${++files}.jsonl`)
  writeFileSync(path, text)
  return path
}

function followFile(path: string, settings: Parameters<typeof following>[1] = {}): Following {
  return following([{ input: path, path: basename(path), output: null }], settings)
}

async function convertedFile(path: string): Promise<string> {
  return (await converted([path])).bytes.toString()
}

describe('a file is followed', () => {
  test('that is finished, with the bytes of a conversion', async () => {
    const path = newFile(run.join(''))
    const { output, results } = followFile(path)
    expect((await results)[0]).toMatchObject({ how: 'ended', dialect: 'claude-stream', records: 5 })
    expect(output.text).toBe(await convertedFile(path))
  })

  test('that grows by a byte or by a few, in the middle of lines and characters', async () => {
    const path = newFile()
    const { output, results } = followFile(path)
    const bytes = Buffer.from(run.join(''))
    for (let at = 0; at < bytes.length; at += 11) {
      appendFileSync(path, bytes.subarray(at, at + 11))
      if (at % 5 === 0) await setTimeout(1)
    }
    expect((await results)[0]?.how).toBe('ended')
    expect(output.text).toBe(await convertedFile(path))
  })

  test('whose first lines come late, and its last line in halves', async () => {
    const path = newFile()
    const { output, results } = followFile(path)
    await setTimeout(60)
    appendFileSync(path, '{"any":1}\n')
    await setTimeout(60)
    expect(output.text).toBe('')
    appendFileSync(path, init + said('one').slice(0, 40))
    await output.until((text) => text.includes('"session.started"'))
    await setTimeout(60)
    expect(output.text).not.toContain('"one"')
    appendFileSync(path, said('one').slice(40) + result)
    await results
    expect(output.text).toBe(await convertedFile(path))
  })

  test('until it is interrupted, with what broke off and a closed stream', async () => {
    const path = newFile(`${init}${said('one')}{"type":"assi`)
    const { output, stop, results } = followFile(path)
    await output.until((text) => text.includes('"one"'))
    stop()
    expect((await results)[0]).toMatchObject({ how: 'interrupted', ending: { terminal: false } })
    expect(output.text).toBe(await convertedFile(path))
    expect(output.text.trimEnd().split('\n').at(-1)).toContain('"stream.closed"')
  })

  test('and one of which nothing came is closed in good order as well', async () => {
    const { output, stop, results } = followFile(newFile())
    await setTimeout(50)
    stop()
    expect((await results)[0]).toMatchObject({ how: 'interrupted', records: 0 })
    expect(output.text.trimEnd().split('\n').at(-1)).toContain('"stream.closed"')
  })

  test('of which nothing is proven, after some patience', async () => {
    const path = newFile(init)
    const { output, results } = followFile(path)
    await output.until((text) => text.includes('"session.started"'))
    appendFileSync(path, said('one') + result)
    await results
    expect(output.text).toBe(await convertedFile(path))
  })

  test('that was moved away, in the file that took its name', async () => {
    const path = newFile(init + said('one'))
    const { output, results } = followFile(path)
    await output.until((text) => text.includes('"one"'))
    const fd = openSync(path, 'a')
    renameSync(path, `${path}.1`)
    // Its writer has it open still.
    writeSync(fd, said('two'))
    closeSync(fd)
    await setTimeout(40)
    writeFileSync(path, said('three') + result)
    await results
    expect(output.text).toBe(
      await convertedFile(newFileLike(path, [init, said('one'), said('two'), said('three'), result])),
    )
  })

  test('that was moved away in the middle of a line, which is ended', async () => {
    const path = newFile(`${init}{"type":"assi`)
    const { output, results } = followFile(path)
    await output.until((text) => text.includes('"session.started"'))
    renameSync(path, `${path}.1`)
    writeFileSync(path, said('three') + result)
    await results
    const want = newFileLike(path, [init, '{"type":"assi\n', said('three'), result])
    expect(output.text).toBe(await convertedFile(want))
  })

  test('that was replaced by a longer version of itself', async () => {
    const path = newFile(init + said('one'))
    const { output, results } = followFile(path)
    await output.until((text) => text.includes('"one"'))
    writeFileSync(`${path}.new`, run.join(''))
    renameSync(`${path}.new`, path)
    await results
    expect(output.text).toBe(await convertedFile(path))
  })

  test('that was truncated and begins anew', async () => {
    const path = newFile(init + said('one') + said('two'))
    const { output, results } = followFile(path)
    await output.until((text) => text.includes('"two"'))
    const fd = openSync(path, 'r+')
    ftruncateSync(fd, 0)
    await setTimeout(80)
    writeSync(fd, said('three') + result, 0)
    closeSync(fd)
    await results
    expect(output.text).toBe(
      await convertedFile(newFileLike(path, [init, said('one'), said('two'), said('three'), result])),
    )
  })

  test('that was overwritten in place by something longer', async () => {
    const path = newFile(init + said('one'))
    const { output, results } = followFile(path)
    await output.until((text) => text.includes('"one"'))
    const other = [said('another one that is long enough'.repeat(20)), result]
    writeFileSync(path, other.join(''))
    await results
    expect(output.text).toBe(await convertedFile(newFileLike(path, [init, said('one'), ...other])))
  })

  test('from its last line on, which counts where it stands', async () => {
    const path = newFile(init + said('one') + said('two').slice(0, 30))
    const options = jobOptions({})
    const { output, results } = followFile(path, {
      sinceNow: true,
      options: { ...options, provenance: true },
    })
    await setTimeout(60)
    appendFileSync(path, said('two').slice(30) + result)
    expect((await results)[0]).toMatchObject({ how: 'ended', dialect: 'claude-stream', records: 2 })
    expect(output.text).not.toContain('"one"')
    expect(output.text).toContain('"two"')
    expect(output.text).toMatch(/"text":"two"[^\n]*"source_line":3/)
    expect(output.text).toContain('"run":"s-1"')
  })

  test('and lines over the limit are passed over', async () => {
    const path = newFile(init)
    const options = jobOptions({ lineLimit: 400 })
    const { output, results } = followFile(path, { options })
    const long = said('x'.repeat(5000))
    for (let at = 0; at < long.length; at += 700) {
      appendFileSync(path, long.slice(at, at + 700))
      await setTimeout(3)
    }
    appendFileSync(path, said('two') + said('y'.repeat(500)) + result)
    await results
    expect(output.text).toBe((await converted([path], { lineLimit: 400 })).bytes.toString())
  })

  test.each([
    {
      name: 'compressed',
      bytes: Buffer.from([0x1f, 0x8b, 8, 0, 0x0a, 0, 0, 0, 0, 0, 0x0a]),
      says: 'is gzip data',
    },
    { name: 'one document', bytes: Buffer.from('{\n "messages": [\n'), says: 'is one JSON document' },
  ])('but not one that is $name', async ({ bytes, says }) => {
    const path = newFile()
    writeFileSync(path, bytes)
    const [ended] = await followFile(path).results
    expect(ended?.how).toBe('failed')
    expect(ended?.message).toContain(says)
  })
})

/** Another file of the same name, so that streams of both say the same of their path. */
function newFileLike(path: string, lines: readonly string[]): string {
  const other = join(folder, `like-${++files}`)
  rmSync(other, { recursive: true, force: true })
  const made = newFolder(other)
  const copy = join(made, basename(path))
  writeFileSync(copy, lines.join(''))
  return copy
}

test('lines are written as soon as they are whole', async () => {
  const path = newFile(init)
  const { output, results } = followFile(path)
  await output.until((text) => text.includes('"session.started"'))
  const written: number[] = []
  for (let i = 0; i < 60; i++) {
    await setTimeout(5)
    written.push(performance.now())
    appendFileSync(path, said(`n${i}.`))
  }
  appendFileSync(path, result)
  await results
  const delays = written.map((atMs, i) => {
    const write = output.writes.find(({ text }) => text.includes(`"n${i}."`))
    return (write?.atMs ?? Infinity) - atMs
  })
  const sorted = delays.toSorted((a, b) => a - b)
  console.info(`file to output: median ${sorted[30]?.toFixed(2)} ms, most ${sorted.at(-1)?.toFixed(2)} ms`)
  // One or two may wait for others that use the machine.
  expect(sorted[54]).toBeLessThan(50)
  expect(Math.max(...delays)).toBeLessThan(500)
})

/** Writes 75 MB in 1.5 s, at 50 MB/s, in pieces that end anywhere. */
const FAST_WRITER = `
  const { openSync, writeSync } = require('node:fs')
  const fd = openSync(process.argv[1], 'a')
  const line = (n) => JSON.stringify({ type: 'assistant', session_id: 's-1', message: { id: 'm' + n, role: 'assistant',
    model: 'model-1', content: [{ type: 'text', text: n + ' ' + 'word '.repeat(180) }] } }) + '\\n'
  const started = performance.now()
  let rest = ''
  let bytes = 0
  let n = 0
  const tick = () => {
    const due = Math.min(75e6, (performance.now() - started) * 50e3)
    while (bytes < due) {
      while (rest.length < 100003) rest += line(n++)
      bytes += writeSync(fd, rest.slice(0, 100003))
      rest = rest.slice(100003)
    }
    if (bytes < 75e6) return setTimeout(tick, 2)
    writeSync(fd, rest + process.argv[2])
    console.log(n + ' ' + Math.round(performance.now() - started))
  }
  tick()`

test(
  'a file that another process writes at 50 MB/s is followed without loss',
  { timeout: 60_000 },
  async () => {
    const path = newFile(init)
    const out = join(folder, 'fast.out')
    const { results } = following([{ input: path, path: basename(path), output: out }])
    const child = spawn(process.execPath, ['-e', FAST_WRITER, path, result], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let told = ''
    child.stdout.on('data', (bytes: Buffer) => {
      told += bytes.toString()
    })
    await new Promise((resolve) => child.on('close', resolve))
    const doneMs = performance.now()
    const [lines = 0, tookMs] = told.trim().split(' ').map(Number)
    const [ended] = await results
    console.info(
      `75 MB written in ${tookMs} ms, followed to the end ${(performance.now() - doneMs).toFixed(0)} ms later`,
    )
    expect(ended).toMatchObject({ how: 'ended', records: lines + 2 })
    const want = (await converted([path])).bytes
    expect(readFileSync(out).equals(want)).toBe(true)
  },
)

test('the state of every dialect can be asked how it would end', { timeout: 60_000 }, async () => {
  const corpora = join(projectDir, 'corpora')
  const samples = readdirSync(corpora, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(?:jsonl|sse)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !/\.(?:events|cabinet)\.jsonl$/.test(path))
  expect(samples.length).toBeGreaterThan(20)
  for (let at = 0; at < samples.length; at += 24) {
    const odd = await Promise.all(samples.slice(at, at + 24).map(oddEnding))
    expect(odd.filter((found) => found !== null)).toEqual([])
  }
})

/**
 * Followed, a finished transcript ends by itself exactly when it has a terminal record, and a stream of events when it is
 * closed. What was otherwise, if anything.
 */
async function oddEnding(path: string): Promise<object | null> {
  const { output, stop, results } = followFile(path)
  const isTimely = await Promise.race([results.then(() => true), setTimeout(2200, false)])
  stop()
  const [ended] = await results
  if (ended?.how === 'failed') return null // a document
  const terminal = ended?.ending?.terminal === true && ended.ending.unclosed !== true
  const isSame = output.text === (await convertedFile(path))
  return isSame && isTimely === terminal ? null : { path, isSame, isTimely, terminal }
}

function newFolder(path: string): string {
  if (!existsSync(path)) mkdirSync(path, { recursive: true })
  return path
}
