import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { ownFolder } from '../fault/folder.ts'
import { eventOf, runOf, serving, status, stream } from '../pipeline/following.ts'
import { commandPath, jsonLines, millrace } from './command.ts'

const folder = ownFolder('follow-command')

describe('follow ends like harnesscli:', () => {
  const waiting = [
    ...runOf().slice(0, 4),
    eventOf(4, 'run.waiting_for_user', { call_id: 'c', tool: 'AskUserQuestion' }),
  ]
  const limited = [
    ...runOf().slice(0, 9),
    eventOf(9, 'run.cost_limit_reached', { max_cost_usd: 1, cumulative_cost_usd: 2 }),
    eventOf(10, 'run.completed', { output: '' }),
  ]

  test.each([
    { code: 0, what: 'completed', answers: [stream(runOf().join(''))] },
    { code: 0, what: 'completed by its cost limit', answers: [stream(limited.join(''))] },
    { code: 1, what: 'not there', answers: [status(404)] },
    { code: 1, what: 'lost', answers: [stream(runOf().slice(0, 5).join('')), status(404)] },
    { code: 2, what: 'failed', answers: [stream(runOf('run.failed').join(''))] },
    { code: 3, what: 'waiting for an answer', answers: [stream(waiting.join('')), stream('')] },
    { code: 6, what: 'cancelled', answers: [stream(runOf('run.cancelled').join(''))] },
  ])('$code when the run is $what', async ({ code, what, answers }) => {
    const held = what.startsWith('waiting')
      ? [
          (response: Parameters<(typeof answers)[0]>[0]) =>
            response.writeHead(200, { 'content-type': 'text/event-stream' }).write(waiting.join('')),
        ]
      : answers
    const { address } = await serving(...held)
    const ended = await millrace(['follow', address])
    expect({ code: ended.code, stderr: ended.stderr }).toMatchObject({ code })
    expect(ended.stderr).not.toContain('\n    at ')
  })

  test.each(['SIGINT', 'SIGTERM'] as const)('130 after %s, with a closed stream', async (signal) => {
    const { address } = await serving((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(runOf().slice(0, 8).join(''))
    })
    const child = spawn(process.execPath, [commandPath, 'follow', address], {
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    let text = ''
    child.stdout.on('data', (bytes: Buffer) => {
      if (text === '') child.kill(signal)
      text += bytes.toString()
    })
    const code = await new Promise((resolve) => child.on('close', resolve))
    expect(code).toBe(130)
    expect(jsonLines(Buffer.from(text)).at(-1)).toMatchObject({ event: 'stream.closed', reason: 'error' })
  })
})

test('the credentials of --header are sent, and appear nowhere', async () => {
  let seen: string | undefined
  const { address } = await serving((response, request) => {
    seen = request.headers.authorization
    stream(runOf().join(''))(response, request)
  })
  const ended = await millrace(['follow', address, '-H', 'Authorization: Bearer k-123'])
  expect(seen).toBe('Bearer k-123')
  expect(ended.stdout.toString() + ended.stderr).not.toContain('k-123')
})

test('a folder gets one file a run, a file its own', async () => {
  const one = await serving(stream(runOf('run.completed', 'run_1').join('')))
  const file = join(folder, 'own.jsonl')
  mkdirSync(folder, { recursive: true })
  writeFileSync(
    file,
    runOf()
      .map((event) => `${/data: (.*)/.exec(event)?.[1] ?? ''}\n`)
      .join(''),
  )
  const out = join(folder, 'out')
  expect((await millrace(['follow', one.address, file, '-o', out])).code).toBe(0)
  for (const name of ['run_1', 'own']) {
    const lines = jsonLines(readFileSync(join(out, `${name}.events.jsonl`)))
    expect(lines.at(-1)).toMatchObject({ event: 'stream.closed', reason: 'completed' })
  }
})

const session = [
  '{"type":"system","subtype":"init","session_id":"s-1","model":"model-1","cwd":"/home/dev/x","tools":[]}',
  '{"type":"result","subtype":"success","is_error":false,"session_id":"s-1","num_turns":1,"result":"bye"}',
]

describe('standard input is followed', () => {
  test('to its end, as convert reads it', async () => {
    const stdin = `${session.join('\n')}\n`
    const ended = await millrace(['follow', '-', '--quiet'], { stdin })
    expect(ended).toMatchObject({ code: 0, stderr: '' })
    expect(ended.stdout.equals((await millrace(['convert', '-', '--quiet'], { stdin })).stdout)).toBe(true)
  })

  test('and left when its run is over, though nobody has closed it', async () => {
    const child = spawn(process.execPath, [commandPath, 'follow', '-'], { stdio: ['pipe', 'pipe', 'pipe'] })
    child.stdin.on('error', () => {})
    const said: Buffer[] = []
    child.stdout.on('data', (bytes: Buffer) => said.push(bytes))
    child.stdin.write(`${session[0]}\n`)
    await setTimeout(300)
    child.stdin.write(session[1] ?? '')
    const code = await new Promise((resolve) => child.on('close', resolve))
    expect(code).toBe(0)
    expect(jsonLines(Buffer.concat(said)).at(-1)).toMatchObject({
      event: 'stream.closed',
      reason: 'completed',
    })
  })

  test('until it is interrupted', async () => {
    const child = spawn(process.execPath, [commandPath, 'follow', '-'], { stdio: ['pipe', 'pipe', 'ignore'] })
    child.stdin.on('error', () => {})
    const said: Buffer[] = []
    child.stdout.on('data', (bytes: Buffer) => {
      if (said.length === 0) child.kill('SIGINT')
      said.push(bytes)
    })
    child.stdin.write(`${session[0]}\n`)
    const code = await new Promise((resolve) => child.on('close', resolve))
    expect(code).toBe(130)
    expect(jsonLines(Buffer.concat(said)).at(-1)).toMatchObject({ event: 'stream.closed', reason: 'error' })
  })
})

test('outputs are compressed, documents written and a manifest kept', async () => {
  mkdirSync(folder, { recursive: true })
  const input = join(folder, 'kept.jsonl')
  writeFileSync(input, `${session.join('\n')}\n`)
  const [to, converted] = [join(folder, 'kept/'), join(folder, 'kept-converted/')]
  expect((await millrace(['follow', input, '-o', to, '--compress', 'gz'])).code).toBe(0)
  expect((await millrace(['convert', input, '-o', converted])).code).toBe(0)
  const plain = readFileSync(join(converted, 'kept.events.jsonl'))
  expect(gunzipSync(readFileSync(join(to, 'kept.events.jsonl.gz'))).equals(plain)).toBe(true)
  expect(jsonLines(readFileSync(join(to, 'manifest.jsonl')))).toMatchObject([
    { path: 'kept.jsonl', output: 'kept.events.jsonl.gz', completeness: 'complete' },
    { transcripts: 1, failed: 0 },
  ])
  const document = await millrace(['follow', input, '--to', 'trace-ir', '--quiet'])
  expect(
    document.stdout.equals((await millrace(['convert', input, '--to', 'trace-ir', '--quiet'])).stdout),
  ).toBe(true)
})

test('following ends quietly when its reader goes away', async () => {
  const { address } = await serving((response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    void (async () => {
      let seq = 0
      response.write(eventOf(seq++, 'run.started', { prompt: 'x' }))
      while (!response.destroyed && seq < 2000) {
        response.write(eventOf(seq++, 'assistant.message', { content: `n${seq}` }))
        await setTimeout(2)
      }
    })()
  })
  const child = spawn(
    'sh',
    ['-c', `"$0" "$1" follow "$2" | head -2`, process.execPath, commandPath, address],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  let errors = ''
  child.stderr.on('data', (bytes: Buffer) => {
    errors += bytes.toString()
  })
  await new Promise((resolve) => child.on('close', resolve))
  expect(errors).not.toContain('Error')
})

test.each([
  { args: ['/nowhere/x.jsonl'], says: 'no such file' },
  { args: ['http://'], says: 'is no address' },
  { args: ['-', '-'], says: 'once' },
  { args: ['-', '--since-now'], says: 'goes with files and addresses' },
  { args: ['x.jsonl', '--silence', '-1'], says: 'a number of seconds' },
])('follow $args is refused', async ({ args, says }) => {
  const ended = await millrace(['follow', ...args])
  expect(ended.code).toBe(2)
  expect(ended.stderr).toContain(says)
  expect(existsSync('/nowhere')).toBe(false)
})
