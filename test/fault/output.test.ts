import { spawn } from 'node:child_process'
import { closeSync, openSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { commandPath, millrace } from '../cli/command.ts'
import { filesIn, generatedFile, ownFolder } from './folder.ts'

const folder = ownFolder('output')
let large = ''

beforeAll(async () => {
  // Over the size from which all workers read one transcript.
  large = await generatedFile(join(folder, 'in'), 28e6)
})

/** Run a shell line in which `$@` is the command line. */
function shell(line: string, args: readonly string[]): Promise<{ code: number | null; stderr: string }> {
  const child = spawn('sh', ['-c', line, 'sh', process.execPath, commandPath, ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let stderr = ''
  child.stderr.on('data', (bytes: Buffer) => {
    stderr += bytes.toString()
  })
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, stderr })))
}

describe('a full disk', () => {
  test.each([0, 2])('is told with --jobs %i, and no part is left', async (jobs) => {
    const out = join(folder, `full-${jobs}`)
    // A limit on the size of files stands for the disk; units are blocks of 512 bytes.
    const ended = await shell(`trap '' XFSZ; ulimit -f 4000; exec "$@"`, [
      'convert',
      large,
      '-o',
      `${out}/`,
      '--jobs',
      String(jobs),
    ])
    expect(ended.code).toBe(1)
    expect(ended.stderr).toMatch(
      /^millrace: .*\/[^/]+\.events\.jsonl: no space left; free some, or choose another place with -o\n$/,
    )
    expect(filesIn(out)).toEqual([])
  })

  test.each([0, 2])('behind standard output is told with --jobs %i', async (jobs) => {
    const ended = await shell(`exec "$@" > /dev/full`, ['convert', large, '--jobs', String(jobs)])
    expect(ended).toEqual({
      code: 1,
      stderr: 'millrace: standard output: no space left; free some, or choose another place with -o\n',
    })
  })

  test('behind a report is told', async () => {
    const ended = await shell(`exec "$@" > /dev/full`, ['usage', large, '--json'])
    expect(ended.code).toBe(1)
    expect(ended.stderr).toContain('standard output: no space left')
  })
})

describe('a reader that goes away', () => {
  test.each([
    ['convert', '0'],
    ['convert', '2'],
  ])('ends %s with --jobs %s quietly', async (command, jobs) => {
    const child = spawn(process.execPath, [commandPath, command, large, '--jobs', jobs], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let stderr = ''
    child.stderr.on('data', (bytes: Buffer) => {
      stderr += bytes.toString()
    })
    child.stdout.once('data', () => child.stdout.destroy())
    const code = await new Promise((resolve) => child.on('close', resolve))
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  })

  test.each([
    ['usage', large],
    ['census', large],
    ['check', large],
    ['dialects'],
    ['--help'],
    ['follow', '--help'],
  ])('ends %s quietly', async (...args) => {
    const ended = await shell(`"$@" | true`, args)
    expect(ended.code).toBe(0)
    expect(ended.stderr).not.toMatch(/EPIPE|at .*\.js/)
  })
})

describe('an output that cannot be made', () => {
  test('is told: a file stands where a folder should', async () => {
    const blocked = join(folder, 'blocked')
    writeFileSync(blocked, 'in the way')
    const ended = await millrace(['convert', large, '-o', `${blocked}/below/`])
    expect(ended.code).toBe(1)
    expect(ended.stderr).toMatch(/^millrace: .*blocked\/below.*: cannot be written: ENOTDIR/)
    expect(ended.stderr).not.toMatch(/\n\s+at /)
  })

  test('is told: a folder stands where the file should', async () => {
    const ended = await millrace(['events', '--in', large, '--out', folder])
    expect(ended.code).toBe(1)
    expect(ended.stderr).toContain('cannot be written')
    expect(filesIn(folder).filter((path) => path.endsWith('.part'))).toEqual([])
  })

  test('is told: several transcripts and one file', async () => {
    const one = join(folder, 'one.jsonl')
    closeSync(openSync(one, 'w'))
    const ended = await millrace(['convert', one, '-o', join(folder, 'a.jsonl')])
    expect(ended.code).toBe(0)
    const two = await millrace(['events', '--in', folder, '--out', join(folder, 'b.jsonl')])
    expect(two.code).toBe(1)
    expect(two.stderr).toContain('one file cannot hold several transcripts; name a folder')
  })
})
