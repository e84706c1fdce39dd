import { RecordFlag } from '../kernel/layout.ts'
import { NONE, type Node, type RecordView } from '../kernel/record.ts'
import { INPUT_AT, type Scanner } from '../kernel/scanner.ts'
import { countFeeds } from '../source/line-feeds.ts'
import type { ChunkReader } from './chunk-reader.ts'

/** The array in a document's value whose elements are records too; `NONE` when there is none. */
export type ItemsOf = (record: RecordView, root: Node) => Node

/** A transcript that is one JSON document: its items are the records (design §5.2). */
export interface JsonDocument {
  /** Line feeds in the document. */
  readonly lines: number
  /**
   * Call `take` for each record in order, or for the first `most`: the elements of a top-level array; else every value,
   * and after a value the elements of the array that `inside` finds in it.
   */
  each(take: (item: RecordView) => void, inside?: ItemsOf, most?: number): void
}

/**
 * Is what was scanned as lines the beginning of one JSON document instead? True when the first line with anything on it
 * opens an object or array and breaks behind a bracket or comma, or when an array is all there is.
 */
export function looksLikeDocument(scanner: Scanner): boolean {
  if (scanner.recordCount === 0) return false
  const record = scanner.select(0, 1)
  if (record.root !== NONE) return scanner.recordCount === 1 && record.isArray(record.root)
  if (scanner.recordCount === 1) return false
  const line = record.bytes.utf8Slice(record.start, Math.min(record.end, record.start + 4096)).trim()
  return (line.startsWith('[') || line.startsWith('{')) && /[[{,]$/.test(line)
}

/**
 * Read the rest of the input and scan all of it as a document; null when it is none or has more than `limit` bytes. A
 * document is held in memory whole.
 */
export async function openDocument(
  reader: ChunkReader,
  scanner: Scanner,
  limit: number,
): Promise<JsonDocument | null> {
  const bytes = await reader.whole(limit)
  if (bytes === null) return null
  scanner.scan(INPUT_AT, INPUT_AT + bytes, true)
  const roots: { readonly root: Node; readonly flags: number }[] = []
  for (let i = 0; i < scanner.recordCount; i++) {
    const { root, flags } = scanner.select(i, 1)
    if (root === NONE) return null
    roots.push({ root, flags: flags | RecordFlag.Item })
  }
  const { view } = scanner
  const lines = countFeeds(view.bytes.subarray(INPUT_AT, INPUT_AT + bytes)) - 1
  return {
    lines,
    each(take, inside = () => NONE, most = Infinity) {
      let line = 1
      let counted = INPUT_AT
      let taken = 0
      const one = (node: Node, flags: number): boolean => {
        if (taken++ >= most) return false
        view.root = node
        view.flags = flags
        view.start = view.words[node]!
        view.end = view.words[node + 1]!
        view.oversize = null
        // Searched no further than it is counted: else it would cost the square of the items.
        line += countFeeds(view.bytes.subarray(counted, view.start))
        counted = view.start
        view.line = line
        take(view)
        return true
      }
      for (const { root, flags } of roots) {
        const array = view.isArray(root) ? root : inside(view, root)
        if (array !== root && !one(root, flags)) return
        for (let item = view.first(array); item !== NONE; item = view.next(item))
          if (!one(item, flags)) return
      }
    },
  }
}
