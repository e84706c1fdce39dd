import { describe, expect, test } from 'vitest'
import type { TranscriptJob } from '../../src/pipeline/job.ts'
import { paysThreads, planWork } from '../../src/pipeline/plan.ts'

const MB = 1_000_000

function jobs(count: number, bytes: number, path = (i: number) => `${i}.jsonl`): TranscriptJob[] {
  return Array.from({ length: count }, (_, index) => ({
    index,
    path: path(index),
    file: `/${path(index)}`,
    bytes,
    named: false,
    output: null,
  }))
}

describe('threads', () => {
  test.each([
    { what: 'nothing', given: jobs(0, 0), cores: 2, digest: true, pays: false },
    { what: '100 MB', given: jobs(20, 5 * MB), cores: 2, digest: true, pays: false },
    { what: '300 MB', given: jobs(60, 5 * MB), cores: 2, digest: true, pays: true },
    { what: '300 MB without digests', given: jobs(60, 5 * MB), cores: 2, digest: false, pays: false },
    {
      what: '300 MB without digests on many cores',
      given: jobs(60, 5 * MB),
      cores: 16,
      digest: false,
      pays: true,
    },
    { what: '500 MB without digests', given: jobs(100, 5 * MB), cores: 2, digest: false, pays: true },
    { what: 'one file of 1 GB', given: jobs(1, 1000 * MB), cores: 2, digest: false, pays: true },
    { what: '10 GB on one core', given: jobs(10, 1000 * MB), cores: 1, digest: true, pays: false },
    { what: '5,000 small files', given: jobs(5000, 2000), cores: 2, digest: true, pays: true },
    { what: '500 small files', given: jobs(500, 2000), cores: 2, digest: true, pays: false },
    {
      what: '100 MB that are compressed',
      given: jobs(20, 5 * MB, (i) => `${i}.jsonl.zst`),
      cores: 2,
      digest: true,
      pays: true,
    },
  ])('pay for $what on $cores cores: $pays', ({ given, cores, digest, pays }) => {
    expect(paysThreads(given, cores, digest)).toBe(pays)
  })
})

describe('what is done where', () => {
  test.each([
    { what: 'without threads', given: jobs(2, 100 * MB), threads: 0, kinds: ['here', 'here'] },
    { what: 'little', given: jobs(2, MB), threads: 2, kinds: ['here', 'here'] },
    { what: 'one large transcript', given: jobs(1, 100 * MB), threads: 2, kinds: ['large'] },
    { what: 'many that are alike', given: jobs(20, 30 * MB), threads: 2, kinds: ['batches'] },
    {
      what: 'one that is larger than the others',
      given: [...jobs(1, 500 * MB), ...jobs(3, MB, (i) => `small-${i}.jsonl`)].map((job, index) => ({
        ...job,
        index,
      })),
      threads: 2,
      kinds: ['large', 'batches'],
    },
  ])('$what', ({ given, threads, kinds: wanted }) => {
    expect([...planWork(given, threads, threads)].map(({ kind }) => kind)).toEqual(wanted)
  })

  test('every transcript is read once, and none is left', () => {
    const given = jobs(1000, 40_000)
    const read: number[] = []
    for (const work of planWork(given, 2, 2)) {
      if (work.kind !== 'batches') throw new Error('these are batches')
      for (const batch of work.batches) {
        read.push(...batch)
        expect(batch.length).toBeLessThanOrEqual(64)
      }
    }
    expect(read.toSorted((a, b) => a - b)).toEqual(given.map(({ index }) => index))
  })
})
