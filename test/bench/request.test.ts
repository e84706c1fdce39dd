import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from '../../bench/request.ts'

const nothing = { corpus: null, only: [], guard: false, json: false, record: false, large: false }

test.each([
  { argv: [], request: nothing },
  { argv: ['--guard'], request: { ...nothing, guard: true } },
  { argv: ['--json', '--record'], request: { ...nothing, json: true, record: true } },
  {
    argv: ['--only', 'scan,convert', '--large'],
    request: { ...nothing, only: ['scan', 'convert'], large: true },
  },
  { argv: ['--corpus', 'runs'], request: { ...nothing, corpus: resolve('runs') } },
  { argv: ['--help', '--json'], request: null },
])('$argv is understood', ({ argv, request }) => {
  expect(parse(argv)).toEqual(request)
})

test.each([[['--fast']], [['runs']], [['--corpus']], [['--guard', '--corpus', 'runs']]])(
  '%j is refused',
  (argv) => {
    expect(() => parse(argv)).toThrow(TypeError)
  },
)
