import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { outputFaults, parseManifest, readManifest } from '../../../bench/peers/manifest.ts'
import { ownFolder } from '../../fault/folder.ts'
import { sha256 } from '../../digest.ts'

const folder = ownFolder('manifest')

const output = 'x'.repeat(3_000_000)
const digest = sha256(output)
const text = [
  {
    path: 'a',
    digest: 'd1',
    output: 'a.events.jsonl',
    output_digest: digest,
    records: { read: 7 },
    events: 9,
  },
  {
    path: 'b',
    digest: 'd2',
    output: 'b.events.jsonl',
    output_digest: digest,
    records: { read: 5 },
    events: 6,
  },
  { path: 'c', error: { code: 'ERR_INPUT_UNREADABLE', message: 'c cannot be read' } },
  { corpus_digest: 'd3', transcripts: 3, failed: 1 },
]
  .map((line) => `${JSON.stringify({ format: 'millrace.manifest/1', ...line })}\n`)
  .join('')

test('a manifest gives its transcripts, and the sums of their records, events and failures', () => {
  const manifest = parseManifest(text)
  expect(manifest).toMatchObject({ text, records: 12, events: 15, failed: 1 })
  expect(manifest.entries.map(({ path }) => path)).toEqual(['a', 'b'])
})

test('outputs have to be what the manifest says', () => {
  writeFileSync(join(folder, 'manifest.jsonl'), text)
  for (const name of ['a', 'b']) writeFileSync(join(folder, `${name}.events.jsonl`), output)
  const manifest = readManifest(folder)
  expect(outputFaults(folder, manifest)).toEqual([])
  writeFileSync(join(folder, 'b.events.jsonl'), `${output.slice(1)}y`)
  const faults = outputFaults(folder, manifest)
  expect(faults).toHaveLength(1)
  expect(faults[0]).toMatch(/^b: the output has the digest [0-9a-f]{64}, not /)
})
