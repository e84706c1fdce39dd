import { readFileSync, statSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { Detector } from '../../src/dialect/detect.ts'
import { Dialects } from '../../src/dialect/registry.ts'
import { NONE } from '../../src/kernel/record.ts'
import { Scanner } from '../../src/kernel/scanner.ts'
import { ChunkReader } from '../../src/pipeline/chunk-reader.ts'
import { lookAt } from '../../src/pipeline/window.ts'
import { NO_LIMIT, Portions } from '../property/reading.ts'
import { SAMPLES } from '../samples.ts'

const dialects = new Dialects()
const keyed = dialects.adapters.filter(({ runKey }) => runKey !== undefined)
const scanner = new Scanner()

test('some dialect has a key of its run id', () => {
  expect(keyed.map(({ dialect }) => dialect)).toContain('b10x')
})

describe.each(keyed)('$dialect', ({ dialect, runId, runKey }) => {
  const samples = SAMPLES.filter((sample) => sample.dialect === dialect && statSync(sample.file).isFile())

  test('has its key in every record that has a run id', () => {
    let ids = 0
    for (const { file } of samples) {
      scanner.scanBytes(readFileSync(file))
      for (let i = 0; i < scanner.recordCount; i++) {
        const record = scanner.select(i, 1)
        if (runId === null || runKey === undefined || runId(record, record.root) === null) continue
        ids++
        expect(record.get(record.root, runKey)).not.toBe(NONE)
      }
    }
    expect(ids).toBeGreaterThan(0)
  })
})

async function runOf(lines: readonly object[]): Promise<string | null> {
  const input = Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  const source = new Portions(input, input.length, false)
  const reader = new ChunkReader(source, scanner, {
    chunkBytes: input.length,
    lineLimit: NO_LIMIT,
    digest: false,
  })
  const { detection } = await lookAt(reader, scanner, dialects, null, NO_LIMIT)
  return detection.run
}

const delta = (i: number): object => ({ kind: 'text-delta', text: `${i}` })
const other = (i: number): object => ({ kind: 'layer-ready', path: 'p', nodes: [], id: `n${i}` })

describe('the run of a b10x record', () => {
  const session = { kind: 'session', id: 's1', path: 'p' }

  test.each([0, 1, 19, 20, 21, 500])('is found behind %i lines, whatever else has an id', async (before) => {
    const lines = Array.from({ length: before }, (_, i) => (i % 3 === 0 ? other(i) : delta(i)))
    expect(await runOf([...lines, session, { ...session, id: 's2' }, delta(0)])).toBe('s1')
  })

  test('is not looked for behind the window', async () => {
    const long = { kind: 'text-delta', text: 'x'.repeat(60_000) }
    const lines = Array.from({ length: 20 }, () => long)
    expect(await runOf([...lines, session])).toBeNull()
    expect(await runOf([...lines.slice(2), session])).toBe('s1')
  })
})

test('a dialect whose records have no ids is settled before any is looked at', () => {
  expect(new Detector(dialects, dialects.named('goose-stream')).settled).toBe(true)
  expect(new Detector(dialects, dialects.named('b10x')).settled).toBe(false)
})
