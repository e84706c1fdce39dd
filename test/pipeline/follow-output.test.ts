import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { convert } from '../../src/pipeline/convert.ts'
import type { JobOptions } from '../../src/pipeline/job.ts'
import { jobOptions } from '../../src/pipeline/options.ts'
import { openSource } from '../../src/source/codec.ts'
import { ownFolder } from '../fault/folder.ts'
import { readWhole } from '../source/read-whole.ts'
import { converted } from './converting.ts'
import { following, runOf, serving, stream } from './following.ts'

const folder = ownFolder('follow-output')
let runs = 0

const lines = [
  {
    type: 'system',
    subtype: 'init',
    session_id: 's-1',
    model: 'model-1',
    cwd: '/home/dev/x',
    tools: ['Bash'],
  },
  {
    type: 'assistant',
    session_id: 's-1',
    message: { id: 'm1', role: 'assistant', model: 'model-1', content: [{ type: 'text', text: 'one — é' }] },
  },
  { type: 'result', subtype: 'success', is_error: false, session_id: 's-1', num_turns: 1, result: 'bye' },
].map((line) => JSON.stringify(line))
const [init = '', said = '', result = ''] = lines

/** A folder with one growing file in it, and room for outputs. */
function growing(text: string): { readonly input: string; readonly to: string } {
  const own = join(folder, String(++runs))
  mkdirSync(own)
  const input = join(own, 'run.jsonl')
  writeFileSync(input, text)
  return { input, to: join(own, 'out') }
}

function wanting(options: Partial<JobOptions>): { readonly options: JobOptions } {
  return { options: { ...jobOptions({}), ...options } }
}

async function decoded(file: string): Promise<string> {
  const { source } = await openSource(file)
  return (await readWhole(source)).toString()
}

describe('a terminal record without a line feed', () => {
  test('ends its transcript after a pause, and is read', async () => {
    const { input } = growing(`${init}\n${said}\n`)
    const { output, results } = following([input])
    await output.until((text) => text.includes('one — é'))
    appendFileSync(input, result)
    expect((await results)[0]).toMatchObject({ how: 'ended', records: 3, ending: { terminal: true } })
    expect(output.text).toBe((await converted([input])).bytes.toString())
  })

  test('is not taken before it is whole, nor its line before the pause', async () => {
    const { input } = growing(`${init}\n${said}\n${result.slice(0, -1)}`)
    const { output, results } = following([input])
    await setTimeout(900)
    expect(output.text).not.toContain('session.ended')
    appendFileSync(input, '}')
    await setTimeout(100)
    expect(output.text).not.toContain('session.ended')
    appendFileSync(input, ' \n')
    expect((await results)[0]).toMatchObject({ how: 'ended', records: 3 })
    expect(output.text).toBe((await converted([input])).bytes.toString())
  })

  test('is told from a whole last line that is no end: that is waited for', async () => {
    const { input } = growing(`${init}\n${said}`)
    const { output, stop, results } = following([input])
    await setTimeout(1200)
    expect(output.text).not.toContain('one — é')
    appendFileSync(input, `\n${result}\n`)
    expect((await results)[0]?.how).toBe('ended')
    stop()
    expect(output.text).toBe((await converted([input])).bytes.toString())
  })
})

describe('what is followed is compressed', () => {
  test.each(['gz', 'lz4'] as const)(
    'as %s, into a file that can be read while it grows',
    async (compress) => {
      const { input, to } = growing(`${init}\n${said}\n`)
      const file = `${to}.${compress}`
      const { results } = following([{ input, path: 'run.jsonl', output: file }], wanting({ compress }))
      const plain = (await converted([input])).bytes.toString()
      for (
        let waited = 0;
        waited < 3000 && !(await decoded(file).catch(() => '')).includes('one — é');
        waited += 50
      )
        await setTimeout(50)
      const early = await decoded(file)
      expect(early).toContain('one — é')
      expect(plain.startsWith(early)).toBe(true)
      appendFileSync(input, `${result}\n`)
      await results
      expect(await decoded(file)).toBe((await converted([input])).bytes.toString())
    },
  )

  test('also into the common stream', async () => {
    const { input } = growing(`${lines.join('\n')}\n`)
    const { output, results } = following([input], wanting({ compress: 'gz' }))
    await results
    const bytes = Buffer.concat(output.raw)
    expect(gunzipSync(bytes).toString()).toBe((await converted([input])).bytes.toString())
  })
})

describe('a trace-ir document is written when all is known', () => {
  test('of a file, as of its conversion', async () => {
    const { input, to } = growing(`${lines.join('\n')}\n`)
    const { results } = following([{ input, path: basename(input), output: to }], wanting({ traceIr: true }))
    await results
    const wanted = (await converted([input], { traceIr: true })).bytes.toString()
    expect(wanted).toContain('trace-ir/1')
    expect(readFileSync(to, 'utf8')).toBe(wanted)
  })

  test('of a stream of events, as it was read', async () => {
    const events = (await converted([growing(`${lines.join('\n')}\n`).input])).bytes.toString()
    const { input } = growing(events)
    const { output, results } = following([input], wanting({ traceIr: true }))
    await results
    expect(output.text).toBe((await converted([input], { traceIr: true })).bytes.toString())
  })

  test('of several, one after the other', async () => {
    const inputs = [1, 2, 3].map(() => growing(`${lines.join('\n')}\n`).input)
    const { output, results } = following(inputs, wanting({ traceIr: true }))
    await results
    const one = (await converted([inputs[0] ?? ''], { traceIr: true })).bytes.toString()
    expect(output.text).toBe(one.repeat(3))
  })
})

test('a folder gets the manifest that a conversion would write', async () => {
  const { input, to } = growing(`${lines.join('\n')}\n`)
  const other = growing(`${init}\n${said}\n${result}`).input
  const followed = [
    { input, path: 'b.jsonl', output: join(to, 'b.events.jsonl') },
    { input: other, path: 'a.jsonl', output: join(to, 'a.events.jsonl') },
  ]
  await following(followed, { manifest: to }).results
  const own = join(to, '..', 'in')
  mkdirSync(own)
  writeFileSync(join(own, 'b.jsonl'), readFileSync(input))
  writeFileSync(join(own, 'a.jsonl'), readFileSync(other))
  const wanted = `${to}-converted`
  await convert({ paths: [own], jobs: 0, to: () => ({ kind: 'folder', path: wanted }) })
  expect(readFileSync(join(to, 'manifest.jsonl'), 'utf8')).toBe(
    readFileSync(join(wanted, 'manifest.jsonl'), 'utf8'),
  )
})

test('the manifest says of a run that was not there why, and has no digest of a part', async () => {
  const { input, to } = growing(`${init}\n${said}\n`)
  const gone = await serving((response) => response.writeHead(404).end())
  const followed = [
    { input, path: 'a.jsonl', output: join(to, 'a.events.jsonl') },
    { input: gone.address, path: 'run_1', output: join(to, 'run_1.events.jsonl') },
  ]
  const { results } = following(followed, { manifest: to, sinceNow: true })
  await setTimeout(50)
  appendFileSync(input, `${result}\n`)
  await results
  const told = readFileSync(join(to, 'manifest.jsonl'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(told).toMatchObject([
    { path: 'a.jsonl', digest: null, output: 'a.events.jsonl' },
    { path: 'run_1', error: { code: expect.any(String) } },
    { transcripts: 2, failed: 1 },
  ])
})

test('an event stream has the digest of what was sent', async () => {
  const { to } = growing('')
  const server = await serving(stream(runOf().join('')))
  const followed = [{ input: server.address, path: 'run_1', output: join(to, 'run_1.events.jsonl') }]
  const [ended] = await following(followed, { manifest: to }).results
  expect(ended?.transcript.digest).toMatch(/^[0-9a-f]{64}$/)
  expect(ended?.transcript.outputBytes).toBe(readFileSync(join(to, 'run_1.events.jsonl')).length)
})
