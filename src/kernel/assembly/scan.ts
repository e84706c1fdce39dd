// The scanner: checks every byte of a run of whole lines as JSON and writes the tape.
//
//   {"a":[1,"x\n"],"b":null}\n
//   ^^  ^^^ ^     ^^^  ^    ^     tokens: structurals, opening quotes, starts of scalars, line feeds
//
// Two passes take turns over batches of 32 KiB, so that what they hand over stays in the nearest cache. The index pass
// looks at 64 bytes a step: bit masks say where quotes, backslashes, control characters and structurals are, and
// the addresses of the tokens come out. The tape pass walks over the tokens, checks the grammar and writes nodes. Text inside
// strings costs nothing but the masks.
//
// A line feed always ends a record. When one turns up inside a string the line was damaged: it gets a mark, and
// the index pass starts afresh right behind it.
//
// `@inline`, in these files, is AssemblyScript's word for what is copied into its callers.

import { Batch, BATCH_BYTES, beginBatches } from './batch'
import { beginIndex, index } from './index-pass'
import { beginTape, build, endTape } from './tape-pass'

export { WORK_BYTES } from './batch'
export { decodedLength, gather, nextWith } from './readers'
export { blankCount, lineCount, recordCount } from './tape-pass'

/**
 * Scan `[start, end)`, whose last byte is a line feed, into nodes at `nodes` and records at `records`.
 * `stack` takes 8 bytes for each level up to `depthLimit` + 2, `work` takes `WORK_BYTES`. With `document` line feeds are
 * white space and values follow each other until the end. Lines hold at least two bytes a node and a record, but for
 * `recordsEnd`, past which records on one line are no longer split.
 */
export function scan(
  start: u32,
  end: u32,
  nodes: u32,
  records: u32,
  recordsEnd: u32,
  stack: u32,
  work: u32,
  depthLimit: u32,
  document: bool,
): void {
  beginBatches(start, work)
  beginIndex(document)
  beginTape(start, nodes, records, recordsEnd, stack, depthLimit, document)
  while (Batch.position < end) {
    index(end - Batch.position > BATCH_BYTES ? Batch.position + BATCH_BYTES : end, end)
    build(Batch.position >= end, end)
  }
  endTape(end)
}
