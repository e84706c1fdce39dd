import { key, keys } from '../kernel/key.ts'
import { NONE, type Node, type RecordView } from '../kernel/record.ts'
import { isListed } from './operations.ts'

const NO_SUBJECTS: readonly string[] = Object.freeze([])
const PATHS = ['file_path', 'notebook_path', 'path', 'filePath', 'absolute_path', 'dir_path'].map((name) =>
  key(name),
)
const K = keys('name', 'arguments', 'argv', 'path')

/** The files that a call names in its input: `file:<path as written>`. A command line is never parsed (§5). */
export function subjectsOf(record: RecordView, input: Node): readonly string[] {
  let subjects: string[] | undefined
  for (const path of PATHS) {
    const named = record.text(record.get(input, path))
    if (named !== null) (subjects ??= []).push(`file:${named}`)
  }
  return subjects ?? NO_SUBJECTS
}

/** The entry of the b10x catalogue behind a call and the input it got: `tool_invoke` names both in its arguments. */
export function b10xEntry(record: RecordView, tool: string | null, input: Node): [string | null, Node] {
  if (tool !== 'tool_invoke') return [tool, input]
  return [record.word(record.get(input, K.name)), record.get(input, K.arguments)]
}

/** Entries that work on the whole workspace when no path is given. */
const ROOTED: ReadonlySet<string> = new Set(['find', 'dir_list', 'search'])

/** What a call of a b10x entry is about (spec b10x-harness §7): a file, or the program it runs. */
export function b10xSubjects(record: RecordView, entry: string | null, input: Node): readonly string[] {
  if (entry === null || !isListed('b10x', entry)) return NO_SUBJECTS
  if (entry === 'run') {
    const argv = record.get(input, K.argv)
    const program = record.isArray(argv) ? record.text(record.first(argv)) : null
    return program === null ? NO_SUBJECTS : [`proc:${program}`]
  }
  const path = input === NONE ? null : record.text(record.get(input, K.path))
  if (path !== null) return [`file:${path}`]
  return ROOTED.has(entry) ? ['file:.'] : NO_SUBJECTS
}
