import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, test } from 'vitest'
import { openSource } from '../../src/source/codec.ts'
import { HttpSource } from '../../src/source/http.ts'
import { SourceError } from '../../src/source/source-error.ts'
import { readWhole } from './read-whole.ts'

const LIMITS = { redirects: 5, tries: 5, pauseMs: 1, longestPauseMs: 20, silenceMs: 1000 }
const body = Buffer.from(Array.from({ length: 20_000 }, (_, n) => `{"n":${n}}\n`).join(''))

let server: Server | null = null
afterEach(() => {
  server?.closeAllConnections()
  server?.close()
  server = null
})

async function serve(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const started = createServer(answer)
  server = started
  await new Promise<void>((resolve) => started.listen(0, '127.0.0.1', resolve))
  const address = started.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  return `http://127.0.0.1:${address.port}`
}

/** Where a request wants the body to begin. */
function startOf(request: IncomingMessage): number {
  return Number(/bytes=(\d+)-/.exec(request.headers.range ?? '')?.[1] ?? 0)
}

function cut(request: IncomingMessage, response: ServerResponse, start: number, bytes: number): void {
  response.write(body.subarray(start, start + bytes), () => setTimeout(() => request.socket.destroy(), 5))
}

describe('an address is read like a file', () => {
  test('whole', async () => {
    const at = await serve((_, response) => response.end(body))
    expect((await readWhole(new HttpSource(at, [], LIMITS))).equals(body)).toBe(true)
  })

  test('compressed', async () => {
    const at = await serve((_, response) => response.end(gzipSync(body)))
    const { source, compressed } = await openSource(`${at}/run.jsonl.gz`)
    expect(compressed).toBe(true)
    expect((await readWhole(source)).equals(body)).toBe(true)
  })

  test.each([1, 9_999, 50_000])('cut after every %i bytes, taken up by range', async (bytes) => {
    let requests = 0
    const at = await serve((request, response) => {
      const start = startOf(request)
      // Small cuts at the beginning only: otherwise the test would make a request a byte.
      const part = ++requests > 20 ? body.length : bytes
      response.writeHead(start > 0 ? 206 : 200, { 'content-length': body.length - start, etag: '"1"' })
      if (start + part >= body.length) response.end(body.subarray(start))
      else cut(request, response, start, part)
    })
    expect((await readWhole(new HttpSource(at, [], LIMITS))).equals(body)).toBe(true)
    expect(requests).toBeGreaterThan(1)
  })

  test('by a server without ranges, which sends again what is known', async () => {
    let requests = 0
    const at = await serve((request, response) => {
      response.writeHead(200, { 'content-length': body.length })
      if (++requests === 1) cut(request, response, 0, 70_000)
      else response.end(body)
    })
    expect((await readWhole(new HttpSource(at, [], LIMITS))).equals(body)).toBe(true)
  })

  test.each([429, 500, 502, 503])('after an answer %i', async (status) => {
    let requests = 0
    const at = await serve((_, response) => {
      if (++requests < 3) response.writeHead(status, { 'retry-after': '0' }).end()
      else response.end(body)
    })
    expect((await readWhole(new HttpSource(at, [], LIMITS))).equals(body)).toBe(true)
  })
})

describe('what cannot be read is said', () => {
  test.each([
    [401, 'ERR_INPUT_UNREADABLE', /--header/],
    [404, 'ERR_NOT_FOUND', /not there/],
    [204, 'ERR_INPUT_UNREADABLE', /answered 204/],
    [503, 'ERR_INPUT_UNREADABLE', /answered 503/],
  ])('%i', async (status, code, message) => {
    const at = await serve((_, response) => response.writeHead(status, { 'retry-after': '0' }).end())
    const error = await readWhole(new HttpSource(`${at}/a?token=secret`, [], LIMITS)).catch((e: unknown) => e)
    expect(error).toBeInstanceOf(SourceError)
    expect(error).toMatchObject({ code })
    expect(String(error)).toMatch(message)
    expect(String(error)).not.toContain('secret')
  })

  test('a cut that stays: what came before is kept, and the source says so', async () => {
    let requests = 0
    const at = await serve((request, response) => {
      if (++requests > 1) return request.socket.destroy()
      response.writeHead(200, { 'content-length': body.length })
      return cut(request, response, 0, 30_000)
    })
    const source = new HttpSource(at, [], LIMITS)
    expect((await readWhole(source)).equals(body.subarray(0, 30_000))).toBe(true)
    expect(source.trouble?.kind).toBe('cut')
  })

  test('redirects without end', async () => {
    const at = await serve((_, response) => response.writeHead(302, { location: '/again' }).end())
    await expect(readWhole(new HttpSource(at, [], LIMITS))).rejects.toThrow(/redirects/)
  })
})

test('credentials go where they were given for, and nowhere else', async () => {
  const seen: (string | undefined)[] = []
  const at = await serve((request, response) => {
    seen.push(request.headers['x-key']?.toString())
    if (request.url === '/first')
      response.writeHead(307, { location: at.replace('127.0.0.1', 'localhost') }).end()
    else response.end(body)
  })
  await readWhole(new HttpSource(`${at}/first`, [['X-Key', 'secret']], LIMITS)).catch(() => {})
  expect(seen[0]).toBe('secret')
  expect(seen.slice(1)).not.toContain('secret')
})
