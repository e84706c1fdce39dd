import { describe, expect, test } from 'vitest'
import { convertManyWays, differences, EVERY_WAY, type Ways } from '../../scripts/prove-same-bytes.ts'

/** Over the size from which all workers read one transcript at once. */
const LARGE_BYTES = 26e6
const SOME_WAYS: Ways = { chunkSizes: [64 * 1024, 0], jobs: [0, 2] }

describe('one large transcript gives the same bytes', () => {
  test(
    'of 50 MB, for chunks of 1 KiB, 64 KiB, 1 MiB and the whole, with 0, 1, 2 and 3 workers',
    { timeout: 240_000 },
    async () => {
      const { sha256, ways } = await convertManyWays(
        { dialect: 'claude-session', sizeBytes: 50e6, seed: 1 },
        EVERY_WAY,
      )
      expect(ways).toHaveLength(16)
      expect(differences(sha256, ways)).toEqual([])
    },
  )

  test.each(['claude-session', 'claude-stream', 'b10x', 'metaharness'] as const)(
    'with damaged lines in it, as %s',
    { timeout: 120_000 },
    async (dialect) => {
      const options = { dialect, sizeBytes: LARGE_BYTES, seed: 2, faults: true }
      const { sha256, ways } = await convertManyWays(options, SOME_WAYS)
      expect(differences(sha256, ways)).toEqual([])
    },
  )

  test('and a difference would be seen', () => {
    const way = { chunkBytes: 1024, jobs: 0, digest: 'd', outputDigest: 'o', events: 1, seconds: 0 }
    expect(differences('d', [way, { ...way, outputDigest: 'p' }])).toEqual([
      'chunks of 1024 bytes with 0 workers: other events',
    ])
    expect(differences('e', [way])).toEqual([
      'chunks of 1024 bytes with 0 workers: the transcript was read as d',
    ])
    expect(differences('d', [way, { ...way, events: 2 }])).toHaveLength(1)
  })
})
