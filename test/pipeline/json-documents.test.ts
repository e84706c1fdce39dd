import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { projectDir } from '../shared.ts'
import { converted } from './converting.ts'

test.each([
  { dialect: 'gemini-chat', name: 'bakery-site' },
  { dialect: 'gemini-stream', name: 'output' },
  { dialect: 'opencode-store', name: 'export' },
])('$dialect/$name.json gives its expected events', async ({ dialect, name }) => {
  const file = join(projectDir, 'corpora', dialect, `${name}.json`)
  const { bytes, results } = await converted([file])
  expect(bytes.toString()).toBe(readFileSync(file.replace(/\.json$/, '.events.jsonl'), 'utf8'))
  expect(results.map((result) => result.dialect)).toEqual([dialect])
})
