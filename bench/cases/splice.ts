import type { ToolResult } from '../../src/event/events.ts'
import { key } from '../../src/kernel/key.ts'
import { type Node, NONE } from '../../src/kernel/record.ts'
import { Scanner } from '../../src/kernel/scanner.ts'
import { MetaharnessWriter } from '../../src/sink/metaharness-writer.ts'
import { Splice } from '../../src/sink/splice.ts'
import type { BenchCase, Comparison } from '../case.ts'
import type { BenchCorpus } from '../corpora.ts'
import { chunksOf, readLines } from '../lines.ts'

/** Times that one sample writes the same chunk. */
const TIMES = 24

/** Writing events of a chunk that is scanned already, against a plain copy of as many bytes. */
export const splicing: BenchCase = {
  name: 'splice',
  title: 'write events of scanned records',
  budgetMs: 3000,
  leastRounds: 20,
  clock: 'processor',
  open: (corpus) => openSplice(corpus),
}

export function openSplice(corpus: BenchCorpus): Comparison {
  const lines = readLines(corpus)
  const [first] = chunksOf(lines)
  const chunk = lines.subarray(0, first?.end)
  const events = new ChunkEvents(chunk)
  const once = events.write(1)
  const copy = Buffer.alloc(once)
  const original = Buffer.alloc(once, chunk)
  return {
    bytes: once * TIMES,
    ours: { name: 'splice', expected: once * TIMES, run: () => events.write(TIMES) },
    baselines: [{ name: 'memcpy', expected: once * TIMES, run: () => copyTimes(original, copy) }],
  }
}

/** One event a record, holding all of its message. */
class ChunkEvents {
  private readonly scanner = new Scanner()
  private readonly splice: Splice
  private readonly writer: MetaharnessWriter
  private readonly events: readonly ToolResult[]

  constructor(chunk: Buffer) {
    const { scanner } = this
    scanner.scanBytes(chunk)
    this.splice = new Splice(scanner)
    this.writer = new MetaharnessWriter(this.splice, scanner.view, {
      run: 'run',
      path: 'path',
      provenance: false,
      opaqueAll: false,
      notice: () => {},
    })
    const [message, timestamp, uuid] = [key('message'), key('timestamp'), key('uuid')]
    this.events = Array.from({ length: scanner.recordCount }, (_, i) => {
      const record = scanner.select(i, 1)
      const content = record.get(record.root, message)
      return toolResult(
        record.get(record.root, timestamp),
        record.get(record.root, uuid),
        content === NONE ? record.root : content,
      )
    })
  }

  /** Write all events again and again; the number of bytes. */
  write(times: number): number {
    const { scanner, splice, writer, events } = this
    let bytes = 0
    for (let i = 0; i < times; i++) {
      writer.events = 0
      for (const [index, event] of events.entries()) {
        writer.record(scanner.select(index, 1))
        writer.toolResult(event)
      }
      bytes += splice.output().length
      splice.reset()
    }
    return bytes
  }
}

function toolResult(at: Node, callId: Node, content: Node): ToolResult {
  return {
    at: at === NONE ? null : at,
    exitCode: null,
    outcomeSource: null,
    callId: callId === NONE ? '' : callId,
    isError: false,
    content,
    bytes: 0,
    toolUseResult: null,
  }
}

function copyTimes(from: Buffer, to: Buffer): number {
  let bytes = 0
  for (let i = 0; i < TIMES; i++) bytes += from.copy(to)
  return bytes
}
