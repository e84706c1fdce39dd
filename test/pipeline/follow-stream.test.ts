import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { createGzip, deflateSync, gzipSync, brotliCompressSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { jobOptions } from '../../src/pipeline/options.ts'
import { jsonLines } from '../cli/command.ts'
import { ownFolder } from '../fault/folder.ts'
import { converted } from './converting.ts'
import { type Answer, cutAfter, eventOf, following, runOf, serving, status, stream } from './following.ts'

const folder = ownFolder('follow-stream')
const events = runOf()
const whole = Buffer.from(events.join(''))

/** What a conversion of the same stream gives, kept in a file of the name that the tests follow under. */
async function convertedOf(text: string | Uint8Array): Promise<string> {
  mkdirSync(folder, { recursive: true })
  const file = join(folder, 'run.jsonl')
  writeFileSync(file, text)
  return (await converted([file])).bytes.toString()
}

describe('an event stream is followed', () => {
  test('with the bytes of a conversion, once, to its terminal event', async () => {
    const { address, lastIds } = await serving(stream(whole))
    const { output, results } = following([address])
    expect((await results)[0]).toMatchObject({
      how: 'ended',
      dialect: 'go-harness',
      terminal: 'run.completed',
      message: null,
    })
    expect(output.text).toBe(await convertedOf(whole))
    expect(lastIds).toEqual([null])
  })

  test('cut after every byte', async () => {
    const want = await convertedOf(whole)
    // Every byte of the first events, where all kinds of bytes are, and then here and there.
    const head = (events[0]?.length ?? 0) + (events[1]?.length ?? 0)
    const cuts = [
      ...Array.from({ length: head }, (_, i) => i),
      ...Array.from({ length: 12 }, (_, i) => head + i * 119),
    ]
    for (let at = 0; at < cuts.length; at += 16) {
      await Promise.all(
        cuts.slice(at, at + 16).map(async (bytes) => {
          const { address } = await serving(cutAfter(whole, bytes), replay)
          const { output, results } = following([address])
          expect({ bytes, how: (await results)[0]?.how }).toEqual({ bytes, how: 'ended' })
          expect(output.text).toBe(want)
        }),
      )
    }
  })

  test.each(['\n', '\r\n', '\r'])('in small pieces, with lines that end with %j', async (lineEnd) => {
    const body = Buffer.from(events.join('').replaceAll('\n', lineEnd))
    const { address } = await serving((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      void (async () => {
        for (let at = 0; at < body.length; at += 7) {
          response.write(body.subarray(at, at + 7))
          if (at % 70 === 0) await setTimeout(0)
        }
        response.end()
      })()
    })
    const { output, results } = following([address])
    await results
    expect(output.text).toBe(await convertedOf(whole))
  })

  test.each([
    { encoding: 'gzip', body: gzipSync(whole) },
    { encoding: 'deflate', body: deflateSync(whole) },
    { encoding: 'br', body: brotliCompressSync(whole) },
  ])('compressed as $encoding though nobody asked for it', async ({ encoding, body }) => {
    const { address } = await serving(stream(body, { 'content-encoding': encoding }))
    const { output, results } = following([address])
    await results
    expect(output.text).toBe(await convertedOf(whole))
  })

  test('compressed, each event as it is flushed', async () => {
    const gzip = createGzip()
    const { address } = await serving((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' })
      gzip.pipe(response)
      gzip.write(events.slice(0, 7).join(''))
      gzip.flush()
    })
    const { output, results } = following([address])
    await output.until((text) => text.includes('"turn.started"'))
    gzip.end(events.slice(7).join(''))
    expect((await results)[0]?.how).toBe('ended')
    expect(output.text).toBe(await convertedOf(whole))
  })

  test('without keepalives', async () => {
    const { address } = await serving(stream(`: ping\n\n${events.join(':\n\n: ping\n\n')}`))
    const { output, results } = following([address])
    await results
    expect(output.text).toBe(await convertedOf(whole))
  })
})

/** Answer as a server of go-agent-harness does: what follows the last event that the client has. */
const replay: Answer = (response, request) => {
  const last = /:(\d+)$/.exec(String(request.headers['last-event-id'] ?? ''))?.[1]
  const from = last === undefined ? 0 : Number(last) + 1
  stream(events.slice(from).join(''))(response, request)
}

describe('after a lost connection', () => {
  test('it goes on after the last event', async () => {
    const { address, lastIds } = await serving(stream(events.slice(0, 4).join('')), replay)
    const { output, results } = following([address])
    await results
    expect(lastIds).toEqual([null, 'run_1:3'])
    expect(output.text).toBe(await convertedOf(whole))
  })

  test('what is sent again is left out', async () => {
    const { address } = await serving(stream(events.slice(0, 6).join('')), stream(whole))
    const { output, results } = following([address])
    await results
    expect(output.text).toBe(await convertedOf(whole))
  })

  test('a gap is asked for again', async () => {
    const holed = events.filter((_, seq) => seq !== 3)
    const { address, lastIds } = await serving(stream(holed.join('')), replay)
    const { output, results } = following([address])
    await results
    expect(lastIds).toEqual([null, 'run_1:2'])
    expect(output.text).toBe(await convertedOf(whole))
  })

  test('a gap that stays is one of the run', async () => {
    const holed = events.filter((_, seq) => seq !== 3).join('')
    const { address, lastIds } = await serving(stream(holed))
    const { output, results } = following([address])
    expect((await results)[0]).toMatchObject({ how: 'ended', ending: { gapped: true } })
    expect(lastIds).toEqual([null, 'run_1:2', 'run_1:2'])
    expect(output.text).toBe(await convertedOf(holed))
  })

  test('events of a server that lost its memory are not taken for repeats', async () => {
    const again = runOf().map((event) => event.replaceAll('2026-03-02', '2026-03-03'))
    const { address } = await serving(stream(events.slice(0, 6).join('')), stream(again.join('')))
    const { output, results } = following([address])
    await results
    expect(output.text).toBe(await convertedOf([...events.slice(0, 6), ...again].join('')))
  })

  test('keepalives alone are silence, but no failure', async () => {
    let requests = 0
    const { address } = await serving((response, request) => {
      if (++requests > 5) return replay(response, request)
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(': ping\n\n')
    })
    const { output, results } = following([address], { limits: { silenceMs: 20, tries: 3 } })
    expect((await results)[0]?.how).toBe('ended')
    expect(output.text).toBe(await convertedOf(whole))
  })

  test('a server that is silent altogether is given up', async () => {
    const { address, lastIds } = await serving((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      if (lastIds.length === 1) response.write(events[0])
      else response.flushHeaders()
    })
    const { output, results } = following([address], { limits: { silenceMs: 20, tries: 3 } })
    expect((await results)[0]).toMatchObject({ how: 'lost', ending: { terminal: false, reason: 'error' } })
    expect(lastIds.length).toBe(4)
    expect(output.text).toContain('"code":"NO_TERMINAL_RECORD"')
    expect(output.text.trimEnd().split('\n').at(-1)).toContain('"stream.closed"')
  })
})

describe('answers', () => {
  test.each([429, 500, 502, 503])('%i is tried again', async (code) => {
    const { address } = await serving(status(code, { 'retry-after': '0' }), status(code), stream(whole))
    const { output, results } = following([address])
    expect((await results)[0]?.how).toBe('ended')
    expect(output.text).toBe(await convertedOf(whole))
  })

  test.each([401, 403, 404, 400])('%i is not', async (code) => {
    const { address, lastIds } = await serving(status(code))
    const { output, results } = following([address])
    const [result] = await results
    expect(result?.how).toBe('failed')
    expect(result?.message).toContain(String(code))
    expect(output.text).toBe('')
    expect(lastIds.length).toBe(1)
  })

  test('404 after a restart of the server ends what was there as truncated', async () => {
    const { address } = await serving(stream(events.slice(0, 5).join('')), status(404))
    const { output, results } = following([address])
    expect((await results)[0]).toMatchObject({ how: 'lost', ending: { terminal: false } })
    expect(output.text).toContain('"code":"NO_TERMINAL_RECORD"')
  })

  test('5xx for ever is given up', async () => {
    const { address, lastIds } = await serving(status(503))
    const [result] = await following([address]).results
    expect(result).toMatchObject({ how: 'failed' })
    expect(result?.message).toContain('the server answered 503')
    expect(lastIds.length).toBe(3)
  })

  test('a missing terminal event is not success', async () => {
    const { address, lastIds } = await serving(stream(events.slice(0, -1).join('')), stream(''))
    const { output, results } = following([address])
    expect((await results)[0]).toMatchObject({ how: 'lost', ending: { terminal: false, promised: true } })
    expect(lastIds).toEqual([null, 'run_1:8', 'run_1:8', 'run_1:8'])
    expect(output.text).toBe(await convertedOf(events.slice(0, -1).join('')))
  })

  test('204 ends a stream of any kind; ids are sent as they are', async () => {
    const { address, lastIds } = await serving(
      stream('retry: 1\nid: é1\ndata: a\n\n'),
      stream('id: 2\ndata: b\n\n'),
      status(204),
    )
    const { results } = following([address])
    expect((await results)[0]).toMatchObject({ how: 'ended', records: 2, message: null })
    expect(lastIds).toEqual([null, 'é1', '2'])
  })

  test('a page is not taken for a stream', async () => {
    const { address } = await serving(stream('<html>', { 'content-type': 'text/html' }))
    expect((await following([address]).results)[0]?.message).toContain('is no event stream')
  })

  test('redirects are followed, without credentials to other places', async () => {
    const seen: (string | undefined)[] = []
    const other = await serving((response, request) => {
      seen.push(request.headers.authorization)
      replay(response, request)
    })
    const { address } = await serving((response, request) => {
      seen.push(request.headers.authorization)
      response.writeHead(307, { location: other.address }).end()
    })
    const options = jobOptions({ headers: [['authorization', 'Bearer secret-1']] })
    const { output, results } = following([address], { options })
    await results
    expect(seen).toEqual(['Bearer secret-1', undefined])
    expect(output.text).not.toContain('secret-1')
  })
})

describe('ends', () => {
  test('by an interrupt, in good order', async () => {
    const { address } = await serving((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(events.slice(0, 5).join(''))
    })
    const { output, stop, results } = following([address])
    await output.until((text) => text.includes('"session.started"') || text.includes('"turn.started"'))
    stop()
    expect((await results)[0]?.how).toBe('interrupted')
    expect(output.text).toBe(await convertedOf(events.slice(0, 5).join('')))
  })

  test('when it waits for an answer that nobody can give', async () => {
    const asked = [
      ...events.slice(0, 4),
      eventOf(4, 'run.waiting_for_user', { call_id: 'c', tool: 'AskUserQuestion' }),
    ]
    const { address } = await serving((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(asked.join(''))
    })
    const [result] = await following([address], { canAnswer: false }).results
    expect(result?.how).toBe('waiting')
  })

  test('not for a question that was answered', async () => {
    const answered = [
      ...events.slice(0, 4),
      eventOf(4, 'tool.approval_required', { call_id: 'c', tool: 't', arguments: '' }),
      eventOf(5, 'tool.approval_granted', { call_id: 'c', tool: 't' }),
    ]
    const { address } = await serving((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(answered.join(''))
      void setTimeout(700).then(() => response.end(eventOf(6, 'run.completed', { output: 'x' })))
    })
    const [result] = await following([address], { canAnswer: false }).results
    expect(result?.how).toBe('ended')
  })
})

test('several runs at once, each line whole and of its own stream', async () => {
  const names = ['run_a', 'run_b', 'run_c']
  const inputs = await Promise.all(
    names.map(async (name) => {
      const { address } = await serving((response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        void (async () => {
          for (const event of runOf('run.completed', name)) {
            response.write(event)
            await setTimeout(1)
          }
          response.end()
        })()
      })
      return { input: address, path: name, output: null }
    }),
  )
  const { output, results } = following(inputs)
  expect((await results).map(({ how }) => how)).toEqual(['ended', 'ended', 'ended'])
  const lines = jsonLines(Buffer.from(output.text))
  for (const name of names) {
    const own = lines.filter((line) => line['run'] === name)
    expect(own.map((line) => line['seq'])).toEqual(own.map((_, i) => i + 1))
  }
  const files = names.map((name, i) => ({
    input: inputs[i]?.input ?? '',
    path: name,
    output: join(folder, 'several', `${name}.events.jsonl`),
  }))
  await following(files).results
  for (const name of names) {
    const text = readFileSync(join(folder, 'several', `${name}.events.jsonl`), 'utf8')
    expect(
      text
        .trimEnd()
        .split('\n')
        .every((line) => line.includes(`"run":"${name}"`)),
    ).toBe(true)
    expect(text).toContain('"stream.closed"')
  }
})

test('only what comes from now on, and how the run ended', async () => {
  const { address } = await serving((response) => {
    // The server's clock says that all of the run is long ago but its end.
    response.writeHead(200, { 'content-type': 'text/event-stream', date: 'Mon, 02 Mar 2026 10:00:07 GMT' })
    response.end(whole)
  })
  const { output, results } = following([address], { sinceNow: true })
  expect((await results)[0]).toMatchObject({ how: 'ended', terminal: 'run.completed', records: 3 })
  expect(output.text).not.toContain('say it')
})

test('an event is written soon after it was sent', async () => {
  const sent: number[] = []
  const { address } = await serving((response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    void (async () => {
      response.write(events.slice(0, 3).join(''))
      for (let seq = 3; seq < 63; seq++) {
        await setTimeout(5)
        sent.push(performance.now())
        response.write(eventOf(seq, 'assistant.message', { content: `text ${seq}` }))
      }
      response.end(eventOf(63, 'run.completed', { output: '' }))
    })()
  })
  const { output, results } = following([address])
  await results
  const delays = sent.map((atMs, i) => {
    const write = output.writes.find(({ text }) => text.includes(`"text ${i + 3}"`))
    return (write?.atMs ?? Infinity) - atMs
  })
  const sorted = delays.toSorted((a, b) => a - b)
  console.info(
    `event stream to output: median ${sorted[30]?.toFixed(2)} ms, most ${sorted.at(-1)?.toFixed(2)} ms`,
  )
  // One or two may wait for others that use the machine.
  expect(sorted[54]).toBeLessThan(50)
  expect(Math.max(...delays)).toBeLessThan(500)
})
