import { expect, test } from 'vitest'
import { digestFaults, linesCounted } from '../../../bench/peers/folder.ts'

test.each([
  { said: '  12 a.jsonl\n', lines: 12 },
  { said: '  12 a.jsonl\n   3 b.jsonl\n  15 total\n', lines: 15 },
  { said: '', lines: Number.NaN },
])('wc said $said', ({ said, lines }) => {
  expect(linesCounted(said)).toBe(lines)
})

const digests = new Map([
  ['/mill/a b.jsonl', 'aa'.repeat(32)],
  ['/mill/c.jsonl', 'cc'.repeat(32)],
])

test.each([
  { what: 'the same', said: [...digests].map(([path, digest]) => `${digest}  ${path}`), faults: [] },
  {
    what: 'the same, in binary mode',
    said: [...digests].map(([path, digest]) => `${digest} *${path}`),
    faults: [],
  },
  {
    what: 'another digest',
    said: [`${'aa'.repeat(32)}  /mill/a b.jsonl`, `${'dd'.repeat(32)}  /mill/c.jsonl`],
    faults: [/^\/mill\/c\.jsonl has the digest d+, not c+$/],
  },
  { what: 'one of two', said: [`${'cc'.repeat(32)}  /mill/c.jsonl`], faults: [/^1 digests of 2$/] },
  {
    what: 'a file we do not know',
    said: [
      ...[...digests].map(([path, digest]) => `${digest}  ${path}`),
      `${'ee'.repeat(32)}  /mill/e.jsonl`,
    ],
    faults: [/^\/mill\/e\.jsonl has the digest e+, not undefined$/, /^3 digests of 2$/],
  },
])('sha256sum said $what', ({ said, faults }) => {
  const found = digestFaults(`${said.join('\n')}\n`, digests)
  expect(found).toHaveLength(faults.length)
  for (const [i, pattern] of faults.entries()) expect(found[i]).toMatch(pattern)
})
