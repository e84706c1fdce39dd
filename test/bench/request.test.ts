import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { isWanted, parse } from '../../bench/request.ts'

const nothing = {
  corpus: null,
  only: [],
  guard: false,
  json: false,
  record: false,
  largeBytes: null,
  largeAs: null,
  peers: null,
}

test.each([
  { argv: [], request: nothing },
  { argv: ['--guard'], request: { ...nothing, guard: true } },
  { argv: ['--json', '--record'], request: { ...nothing, json: true, record: true } },
  {
    argv: ['--only', 'scan,convert', '--large'],
    request: { ...nothing, only: ['scan', 'convert'], largeBytes: 1e9 },
  },
  { argv: ['--large', '--json'], request: { ...nothing, largeBytes: 1e9, json: true } },
  { argv: ['--large', '10GB'], request: { ...nothing, largeBytes: 1e10 } },
  { argv: ['--large', '5GB', '--as', 'zst'], request: { ...nothing, largeBytes: 5e9, largeAs: 'zst' } },
  { argv: ['--peers'], request: { ...nothing, peers: { sizeBytes: 1e9, rounds: 5 } } },
  {
    argv: ['--peers', '--size', '50MB', '--rounds', '2', '--large=2GB'],
    request: { ...nothing, peers: { sizeBytes: 5e7, rounds: 2 }, largeBytes: 2e9 },
  },
  { argv: ['--corpus', 'runs'], request: { ...nothing, corpus: resolve('runs') } },
  { argv: ['--help', '--json'], request: null },
])('$argv is understood', ({ argv, request }) => {
  expect(parse(argv)).toEqual(request)
})

test.each([
  [['--fast']],
  [['runs']],
  [['--corpus']],
  [['--guard', '--corpus', 'runs']],
  [['--large', 'much']],
  [['--large', '--as', 'rar']],
  [['--as', 'zst']],
  [['--size', '1GB']],
  [['--rounds', '3']],
  [['--peers', '--rounds', '0']],
  [['--peers', '--rounds', 'many']],
  [['--peers', '--size', 'huge']],
  [['--peers', '--guard']],
  [['--peers', '--corpus', 'runs']],
])('%j is refused', (argv) => {
  expect(() => parse(argv)).toThrow(TypeError)
})

test.each([
  { name: 'scan', only: [], wanted: true },
  { name: 'shape-deep', only: ['tape', 'shape'], wanted: true },
  { name: 'scan', only: ['tape'], wanted: false },
])('$name of $only: $wanted', ({ name, only, wanted }) => {
  expect(isWanted(name, only)).toBe(wanted)
})
