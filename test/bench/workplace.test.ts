import { existsSync, statSync } from 'node:fs'
import { expect, test } from 'vitest'
import { openWorkplace } from '../../bench/workplace.ts'

test('every workplace of a process has a folder of its own, which goes with it', () => {
  const [one, other] = [openWorkplace(1), openWorkplace(1)]
  expect(one.folder).not.toBe(other.folder)
  expect(statSync(one.folder).isDirectory()).toBe(true)
  one.close()
  expect(existsSync(one.folder)).toBe(false)
  expect(existsSync(other.folder)).toBe(true)
  other.close()
  expect(existsSync(other.folder)).toBe(false)
})

test('what fits nowhere is refused before anything is written', () => {
  expect(() => openWorkplace(1e18)).toThrow('has no room for 1000000000.0 GB')
})
