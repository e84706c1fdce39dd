import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ownFolder } from '../fault/folder.ts'
import { projectDir } from '../shared.ts'
import { millrace } from './command.ts'

const COMMANDS = ['convert', 'events', 'usage', 'census', 'check', 'dialects']
const folder = ownFolder('options')
const sample = join(projectDir, 'corpora', 'b10x', 'loop.jsonl')

function fileOf(name: string, text: string): string {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

describe('help', () => {
  test.each(COMMANDS)('of %s shows an example', async (command) => {
    const { code, stdout, stderr } = await millrace([command, '--help'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout.toString()).toMatch(new RegExp(`^Usage: millrace ${command} `))
    expect(stdout.toString()).toContain(`\nExample:\n  millrace ${command} `)
  })

  test('lists the commands', async () => {
    const { code, stdout } = await millrace(['--help'])
    expect(code).toBe(0)
    for (const command of COMMANDS) expect(stdout.toString()).toMatch(new RegExp(`^ +${command}\\b`, 'm'))
  })

  test.each(['--version', '-V'])('%s prints the version and nothing else', async (flag) => {
    const { code, stdout } = await millrace([flag])
    expect(code).toBe(0)
    expect(stdout.toString()).toMatch(/^\d+\.\d+\.\d+\n$/)
  })
})

describe('what is wrong on a command line ends with 2, says what would be right, and does nothing', () => {
  test.each([
    { args: ['convrt', sample], says: /Did you mean convert\?/ },
    {
      args: ['convert', sample, '--form', 'b10x'],
      says: /unknown option '--form'\n\(Did you mean --from\?\)/,
    },
    { args: ['usage', sample, '--jsn'], says: /Did you mean --json\?/ },
    { args: ['check', sample, '--tolerent'], says: /Did you mean --tolerant\?/ },
    { args: ['convert'], says: /missing required argument 'path'/ },
    { args: ['events', '--in', sample], says: /'--out <file>' not specified/ },
    {
      args: ['convert', sample, '--from', 'klaud'],
      says: /unknown dialect 'klaud'; known are metaharness, b10x/,
    },
    { args: ['convert', sample, '--opaque', 'some'], says: /Allowed choices are all/ },
    { args: ['convert', sample, '--jobs', 'many'], says: /a whole number from 0 is wanted/ },
    { args: ['convert', sample, '--jobs=-1'], says: /a whole number from 0 is wanted/ },
    { args: ['convert', sample, '--chunk-bytes', '1'], says: /a whole number from 64 is wanted/ },
    { args: ['convert', sample, '--line-limit', '1e3'], says: /a whole number from 1 is wanted/ },
    { args: ['census', sample, '--fail-on', 'opaque,rain'], says: /'rain' is none of opaque, unparsed/ },
    { args: ['usage', sample, '--by', 'moon'], says: /--by: cannot group by "moon"; known are day, hour/ },
    {
      args: ['usage', sample, '--zone', 'Mars/Base'],
      says: /--zone: 'Mars\/Base' is no time zone; take an IANA/,
    },
    {
      args: ['usage', sample, '--since', '2026-02-30'],
      says: /--since: '2026-02-30' is no day; write it as/,
    },
    { args: ['usage', sample, '--until', 'today'], says: /--until: 'today' is no day/ },
    { args: ['usage', sample, '--json', '--csv'], says: /cannot be used with option '--json'/ },
    { args: ['usage', sample, '--rates', 'a', '--prices', 'b'], says: /give one of them/ },
    {
      args: ['usage', sample, '--rates', join(folder, 'none')],
      says: /none: cannot be read; check the name/,
    },
    { args: ['usage', sample, '--rates', fileOf('card.json', '{"source":" "}')], says: /--rates: / },
    { args: ['usage', sample, '--rates', fileOf('no.json', 'no')], says: /--rates: .*JSON/ },
    { args: ['usage', sample, '--prices', fileOf('prices.json', '{}')], says: /--prices: / },
    {
      args: ['convert', join(folder, 'nowhere')],
      says: /nowhere: no such file or folder; check the spelling/,
    },
    { args: ['census', join(folder, '*.nothing')], says: /the pattern matches nothing/ },
  ])('$args', async ({ args, says }) => {
    const { code, stdout, stderr } = await millrace(args)
    expect(stderr).toMatch(says)
    expect(stderr).not.toMatch(/\n\s+at .*:\d+/)
    expect(stdout.toString()).toBe('')
    expect(code).toBe(2)
  })

  test('an empty folder: says what was looked for', async () => {
    mkdirSync(join(folder, 'empty'))
    const { code, stderr } = await millrace(['convert', join(folder, 'empty')])
    expect(code).toBe(2)
    expect(stderr).toContain('looked for files named *.jsonl *.ndjson *.json *.sse *.log *.txt')
  })

  test('a folder without transcripts: counts what was passed over', async () => {
    mkdirSync(join(folder, 'other'))
    writeFileSync(join(folder, 'other', 'notes.txt'), 'nothing of any dialect\n')
    writeFileSync(join(folder, 'other', 'data.json'), '{"a":1}')
    const { code, stderr } = await millrace(['census', join(folder, 'other')])
    expect(code).toBe(2)
    expect(stderr).toContain('2 found were of no known dialect')
  })
})

describe('what comes from outside drives no terminal', () => {
  const evil = '\u001b[31mred\u0007\u009b2J\u202edlrow'

  test.each([
    ['a file name', [fileOf(`${evil}.jsonl`, 'x\n'), '--fail-on', 'unparsed']],
    ['a missing name', [join(folder, `${evil}-none`)]],
    ['a dialect', [sample, '--from', evil]],
    ['an option', [sample, `--${evil}`]],
    ['a list', [sample, '--fail-on', evil]],
  ])('%s', async (_name, args) => {
    const { stderr } = await millrace(['check', ...args])
    expect(stderr).not.toBe('')
    // oxlint-disable-next-line no-control-regex
    expect(stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/)
  })

  test('nothing of a record is told in a message', async () => {
    const path = fileOf('secret.jsonl', '{"kind":"started","secret":"hunter2"\nhunter2\n')
    for (const command of ['check', 'census', 'usage']) {
      const { stdout, stderr } = await millrace([command, path, '--json'])
      expect(stdout.toString() + stderr).not.toContain('hunter2')
    }
  })
})
