import { expect, test } from 'vitest'
import { columnsText, displayWidth, printable } from '../../src/report/columns.ts'

test.each([
  ['abc', 3],
  ['中文', 4],
  ['한', 2],
  ['🙂', 2],
  ['e\u0301', 1],
  ['é', 1],
  ['ｆ', 2],
  ['', 0],
])('%s takes %i cells', (text, width) => {
  expect(displayWidth(text)).toBe(width)
})

test('what could drive a terminal is replaced', () => {
  expect(printable('a\u001B[31m\u0007\u202Eb\u2028\uD800')).toBe('a�[31m��b��')
})

test('wide characters are aligned and cut by cells', () => {
  const columns = [
    { title: 'name', align: 'left', dispensable: 0 },
    { title: 'n', align: 'right', dispensable: 0 },
  ] as const
  const { text } = columnsText(
    columns,
    [
      ['中文中文中文', '1'],
      ['abc', '22'],
    ],
    { width: 13, colour: false },
  )
  expect(text).toBe(['name        n', '─────────────', '中文中文…   1', 'abc        22', ''].join('\n'))
})
