import { describe, expect, test } from 'vitest'
import { b10xEntry, b10xSubjects, subjectsOf } from '../../src/dialect/subjects.ts'
import { Scanner } from '../../src/kernel/scanner.ts'

describe('subjects of a call', () => {
  test.each([
    { input: { file_path: 'a b.ts' }, subjects: ['file:a b.ts'] },
    { input: { path: 'p', notebook_path: 'n', file_path: 'f' }, subjects: ['file:f', 'file:n', 'file:p'] },
    { input: { path: 7, command: 'cat secret' }, subjects: [] },
    { input: 'path', subjects: [] },
  ])('$input', ({ input, subjects }) => {
    const record = read(input)
    expect(subjectsOf(record, record.root)).toEqual(subjects)
  })

  test.each([
    { tool: 'file_read', input: { path: '../x' }, subjects: ['file:../x'] },
    { tool: 'find', input: {}, subjects: ['file:.'] },
    { tool: 'dir_list', input: { path: 'src' }, subjects: ['file:src'] },
    { tool: 'run', input: { argv: ['make', 'all'] }, subjects: ['proc:make'] },
    { tool: 'run', input: { argv: 'make' }, subjects: [] },
    { tool: 'file_write', input: {}, subjects: [] },
    { tool: 'invented', input: { path: 'x' }, subjects: [] },
    { tool: 'tool_invoke', input: { name: 'run', arguments: { argv: ['ls'] } }, subjects: ['proc:ls'] },
    { tool: 'tool_invoke', input: { name: 'search' }, subjects: ['file:.'] },
  ])('$tool $input of b10x', ({ tool, input, subjects }) => {
    const record = read(input)
    const [entry, inner] = b10xEntry(record, tool, record.root)
    expect(b10xSubjects(record, entry, inner)).toEqual(subjects)
  })
})

function read(value: unknown) {
  const scanner = new Scanner()
  scanner.scanBytes(Buffer.from(JSON.stringify(value)))
  return scanner.select(0, 1)
}
