import { describe, expect, test } from 'vitest'
import { JobList } from '../../src/pipeline/job-list.ts'
import type { Root } from '../../src/source/discover.ts'

describe('the jobs of what was found', () => {
  test('come in byte order, with the files below their roots', () => {
    const jobs = JobList.of([folder('/runs', ['b.jsonl', 'a/c.jsonl', 'a.jsonl'])], [''])
    expect([...jobs]).toEqual([
      { index: 0, path: 'a.jsonl', file: '/runs/a.jsonl', bytes: 7, named: false, output: null },
      { index: 1, path: 'a/c.jsonl', file: '/runs/a/c.jsonl', bytes: 9, named: false, output: null },
      { index: 2, path: 'b.jsonl', file: '/runs/b.jsonl', bytes: 7, named: false, output: null },
    ])
    expect([jobs.at(1), jobs.at(3)]).toEqual([[...jobs][1], undefined])
  })

  test.each([
    {
      name: 'several folders have prefixes',
      roots: [folder('/y/x', ['1.jsonl']), folder('/x', ['1.jsonl'])],
      prefixes: ['x', 'x-2'],
      files: [
        ['x-2/1.jsonl', '/x/1.jsonl'],
        ['x/1.jsonl', '/y/x/1.jsonl'],
      ],
    },
    {
      name: 'files of one name are numbered in the order they were named, before their ending',
      roots: [file('/b/run.jsonl'), file('/a/run.jsonl'), file('/c/run.jsonl')],
      prefixes: ['', '', ''],
      files: [
        ['run-2.jsonl', '/a/run.jsonl'],
        ['run-3.jsonl', '/c/run.jsonl'],
        ['run.jsonl', '/b/run.jsonl'],
      ],
    },
    {
      name: 'standard input is no file',
      roots: [{ ...file('-'), place: null }],
      prefixes: [''],
      files: [['-', null]],
    },
  ])('$name', ({ roots, prefixes, files }) => {
    expect([...JobList.of(roots, prefixes)].map((job) => [job.path, job.file])).toEqual(files)
  })

  test('keep what they are when some are left out, and are numbered anew', () => {
    const roots = [file('/b/run.jsonl'), file('/a/run.jsonl'), file('/a/other.jsonl')]
    const jobs = JobList.of(roots, ['', '', ''])
      .filter(({ path }) => path !== 'other.jsonl')
      .to((place, path) => `/out/${place}/${path}`)
    expect([...jobs].map((job) => [job.index, job.file, job.output])).toEqual([
      [0, '/a/run.jsonl', '/out/0/run-2.jsonl'],
      [1, '/b/run.jsonl', '/out/1/run.jsonl'],
    ])
  })
})

function folder(place: string, paths: readonly string[]): Root {
  const found = paths.map((path) => ({ path, bytes: path.length, named: false }))
  return { name: place, folder: true, place, found }
}

function file(place: string): Root {
  const path = place.slice(place.lastIndexOf('/') + 1)
  return { name: place, folder: false, place, found: [{ path, bytes: 1, named: true }] }
}
