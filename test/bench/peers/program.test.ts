import { writeFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { alternate, best, parseCost, type Program } from '../../../bench/peers/program.ts'
import { ownFolder } from '../../fault/folder.ts'

const scratch = ownFolder('program')

const log = join(scratch, 'log')

/** A program that says a word and leaves it in the log. */
function saying(word: string, more: Partial<Program> = {}): Program {
  return {
    name: word,
    command: [
      process.execPath,
      '-e',
      `fs.appendFileSync(${JSON.stringify(log)}, '${word}'); console.log('${word}')`,
    ],
    isOurs: false,
    ...more,
  }
}

/** Only one word is right. */
function faults(said: string): string[] {
  return said === 'right\n' ? [] : [`it said ${said.trim()}`]
}

test('programs run in turn, each after its preparation, and their times are kept', async () => {
  writeFileSync(log, '')
  const mark = (): void => writeFileSync(log, `${readFileSync(log, 'utf8')}|`)
  const [a, b] = await alternate([saying('a', { prepare: mark }), saying('b')], 2, scratch)
  expect(readFileSync(log, 'utf8')).toBe('|abb|a')
  for (const timing of [a!, b!]) {
    expect(timing.seconds).toHaveLength(2)
    expect(best(timing)).toBe(Math.min(...timing.seconds))
    expect(timing.faults).toEqual([])
    // Node itself takes some 40 MB; null where nothing can tell.
    expect(timing.peakRssBytes ?? Infinity).toBeGreaterThan(20e6)
  }
})

test('a wrong answer is kept once and does not end the race', async () => {
  const [wrong, right] = await alternate(
    [saying('wrong', { faults }), saying('right', { faults })],
    2,
    scratch,
  )
  expect(wrong).toMatchObject({ name: 'wrong', faults: ['it said wrong'] })
  expect(wrong?.seconds).toHaveLength(2)
  expect(right).toMatchObject({ name: 'right', faults: [] })
})

test('a program that fails ends it', async () => {
  const failing: Program = {
    name: 'failing',
    command: [process.execPath, '-e', 'process.exit(3)'],
    isOurs: false,
  }
  await expect(alternate([failing], 1, scratch)).rejects.toThrow('ended with 3')
})

test('what GNU time notes is seconds of user and system together, and kilobytes', () => {
  expect(parseCost('1.25 0.50 2048\n')).toEqual({ processorSeconds: 1.75, peakRssBytes: 2_097_152 })
  expect(() => parseCost('Command terminated by signal 9\n1.25 0.50 2048')).toThrow('signal 9')
})
