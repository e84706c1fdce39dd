import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { ownFolder } from '../fault/folder.ts'
import { projectDir } from '../shared.ts'

const folder = ownFolder('part')
const sample = join(projectDir, 'corpora/claude-session/sidechain.jsonl')

/** What was built, at another place. */
function copyOf(name: string): string {
  const place = join(folder, name)
  mkdirSync(place)
  for (const path of [
    'dist/src/cli',
    'dist/src/start',
    'dist/src/kernel',
    'dist/src/usage',
    'dist/workers',
  ]) {
    cpSync(join(projectDir, path), join(place, path), { recursive: true })
  }
  cpSync(join(projectDir, 'package.json'), join(place, 'package.json'))
  symlinkSync(join(projectDir, 'node_modules'), join(place, 'node_modules'))
  return place
}

function node(
  place: string,
  ...args: readonly string[]
): { code: number | null; stdout: string; stderr: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: place, encoding: 'utf8' })
  return { code: status, stdout, stderr }
}

/** Whether V8 refused the bytecode; undefined when there is none. */
function refused(place: string): string {
  const script = `console.log(require('./dist/src/start/part.cjs').open().script.cachedDataRejected)`
  return node(place, '-e', script).stdout.trim()
}

const events = (place: string): object =>
  node(place, 'dist/src/cli/main.cjs', 'convert', sample, '-o', '-', '--jobs', '2', '--quiet')

describe('bytecode', () => {
  let expected: object
  beforeAll(() => {
    expected = events(projectDir)
  })

  test('is taken by the Node that made it', () => {
    expect(refused(projectDir)).toBe('false')
    expect(expected).toMatchObject({ code: 0, stderr: '' })
  })

  test.each([
    ['is missing', 'undefined', (file: string) => rmSync(file)],
    ['is that of another version', 'true', (file: string) => writeFileSync(file, Buffer.alloc(4096, 7))],
    ['is empty', 'true', (file: string) => writeFileSync(file, '')],
  ])('that %s changes nothing that is written', (name, verdict, spoil) => {
    const place = copyOf(name.replaceAll(' ', '-'))
    spoil(join(place, 'dist/src/start/parts.bytecode'))
    expect(refused(place)).toBe(verdict)
    expect(events(place)).toEqual(expected)
  })

  test('is not taken for a text of another length', () => {
    const place = copyOf('other-text')
    const file = join(place, 'dist/src/start/parts.cjs')
    writeFileSync(file, ' ', { flag: 'a' })
    expect(refused(place)).toBe('true')
    expect(events(place)).toEqual(expected)
  })
})
