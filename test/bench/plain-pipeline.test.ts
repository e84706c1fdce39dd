import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openConvert, plainOutput } from '../../bench/cases/convert.ts'
import { type BenchCorpus, generate } from '../../bench/corpora.ts'
import { CountingOutput, Reading } from '../../bench/reading.ts'
import { ownFolder } from '../fault/folder.ts'

const folder = ownFolder('plain')

type Event = Record<string, unknown>

describe('the plain pipeline', () => {
  test.each([1, 2, 3])('gives our events, field by field, for corpus %i', async (seed) => {
    const corpus = await sessions(seed)
    const [ours, plain] = [eventsIn(await ourOutput(corpus)), eventsIn(plainOutput(corpus))]
    expect(ours.length).toBeGreaterThan(500)
    const different = ours.findIndex((event, i) => JSON.stringify(event) !== JSON.stringify(plain[i]))
    expect(plain[different]).toEqual(ours[different])
    expect(plain.length).toBe(ours.length)
  })

  test('is refused as a baseline when it gives other events', async () => {
    const corpus = await sessions(1)
    const other = { ...corpus, files: corpus.files.slice(1) }
    const halves = { ...corpus, files: [...other.files, ...other.files] }
    await expect(openConvert(corpus)).resolves.toBeDefined()
    await expect(openConvert(await unknownWords(halves))).rejects.toThrow('other events')
  })
})

function sessions(seed: number): Promise<BenchCorpus> {
  const path = join(folder, `sessions-${seed}`)
  return generate('sessions', { dialect: 'claude-session', sizeBytes: 3_000_000, files: 5, path, seed })
}

/** A corpus of a dialect of which the plain pipeline knows nothing. */
function unknownWords(like: BenchCorpus): Promise<BenchCorpus> {
  const path = join(folder, `b10x-${like.files.length}`)
  return generate('b10x', { dialect: 'b10x', sizeBytes: 20_000, files: 1, path })
}

async function ourOutput(corpus: BenchCorpus): Promise<Buffer> {
  const output = new CountingOutput()
  output.kept = []
  await new Reading(corpus, {}, output).all()
  return Buffer.concat(output.kept)
}

/** Events in a form in which equal ones are equal text: the length of a list of blocks depends on its spelling. */
function eventsIn(stream: Buffer): Event[] {
  const lines = stream.toString().trimEnd().split('\n')
  return lines.map((line) => {
    const event: Event = JSON.parse(line)
    return Array.isArray(event['content']) ? { ...event, bytes: null } : event
  })
}
