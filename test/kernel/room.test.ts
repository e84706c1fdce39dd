import { describe, expect, test } from 'vitest'
import { compileKernel } from '../../src/kernel/kernel.ts'
import { RECORD_WORDS, RecordFlag } from '../../src/kernel/layout.ts'
import { createScanMemory, DEPTH_LIMIT, INPUT_AT } from '../../src/kernel/scanner.ts'

const WORK_AT = 448 * 1024
const NODES_AT = INPUT_AT + 64 * 1024
const RECORDS_AT = NODES_AT + 512 * 1024

/** Scan with room for so many records; the flags of those that were written, and what stands behind the table. */
function scan(input: string, room: number, isDocument: boolean): { flags: number[]; behind: number } {
  const memory = createScanMemory()
  memory.grow(32)
  const { exports } = new WebAssembly.Instance(compileKernel(), {
    env: {
      memory,
      abort: () => {
        throw new Error('aborted')
      },
    },
  })
  const bytes = Buffer.from(memory.buffer)
  const words = new Uint32Array(memory.buffer)
  const length = bytes.write(`${input}\n`, INPUT_AT)
  const recordsEnd = RECORDS_AT + room * RECORD_WORDS * 4
  const { scan: run, recordCount } = exports
  if (typeof run !== 'function' || !(recordCount instanceof WebAssembly.Global)) throw new Error('no kernel')
  run(
    INPUT_AT,
    INPUT_AT + length,
    NODES_AT,
    RECORDS_AT,
    recordsEnd,
    64,
    WORK_AT,
    DEPTH_LIMIT,
    isDocument ? 1 : 0,
  )
  const flags = Array.from(
    { length: Number(recordCount.value) },
    (_, i) => words[RECORDS_AT / 4 + i * RECORD_WORDS + 3]!,
  )
  return {
    flags,
    behind: words.subarray(recordsEnd / 4, recordsEnd / 4 + 100).reduce((sum, word) => sum + word, 0),
  }
}

const { SameLine, Unparsed } = RecordFlag

describe('the table of records is never overrun', () => {
  test('by records on one line: what has no room is one unparsed record', () => {
    expect(scan('{}{}{}', 10, false)).toEqual({ flags: [0, SameLine, SameLine], behind: 0 })
    expect(scan('{}{}{}{}{}{}', 3, false)).toEqual({ flags: [0, SameLine, SameLine | Unparsed], behind: 0 })
    expect(scan('{}'.repeat(5000), 1, false)).toEqual({ flags: [Unparsed], behind: 0 })
  })

  test.each(['1 ', '{}', '[]\n', '"a" '])('by values of a document: %s', (value) => {
    expect(scan(value.repeat(3), 10, true)).toEqual({ flags: [0, 0, 0], behind: 0 })
    expect(scan(value.repeat(5000), 3, true)).toEqual({ flags: [0, 0, Unparsed], behind: 0 })
  })

  test('by lines: their reader has made room for all of them, or the kernel stops', () => {
    expect(scan('1\n2\n3', 3, false)).toEqual({ flags: [0, 0, 0], behind: 0 })
    expect(() => scan('1\n2\n3\n4', 3, false)).toThrow(/unreachable/)
  })
})
