import { Bin, type Sink } from '../event/sink.ts'
import { keys } from '../kernel/key.ts'
import { NONE, type Node, type RecordView } from '../kernel/record.ts'
import type { Adapter, Ending } from './adapter.ts'
import { WITHOUT_END } from './endings.ts'

const K = keys('stream', 'line')

interface State {
  /** State of the dialect inside. */
  readonly inner: unknown
}

/**
 * What The Test Cabinet captures of a harness: `{"stream","line"}`, one object a line of output (spec test-cabinet §1.5).
 *
 * The lines of the harness itself come here as they were (`src/source/framing/capture.ts`), so that the dialect they are
 * of, found out by what they say, reads them as if nothing had been around them. What is left in its wrapping is
 * what went to stderr, and output that is no JSON.
 *
 * @param inner the dialect of the harness; null when none was recognised: then nothing but stderr is understood
 */
export function captureOf(inner: Adapter<unknown> | null): Adapter<State> {
  return {
    dialect: 'cabinet-raw',
    summary: 'raw.jsonl of The Test Cabinet: {stream,line}, the dialect of the lines detected',
    // Told by the first line, before any value is looked at.
    evidence: () => null,
    runId: (record, value) => inner?.runId?.(record, value) ?? null,
    initial: (context) => ({ inner: inner?.initial(context) ?? null }),

    step(record: RecordView, state: State, sink: Sink): Bin {
      const stream = record.word(record.get(record.root, K.stream))
      const line = record.get(record.root, K.line)
      if ((stream === 'stdout' || stream === 'stderr') && record.isString(line)) {
        return outside(record, stream, line, inner !== null, sink)
      }
      if (inner !== null) return inner.step(record, state.inner, sink)
      sink.opaque({ at: null, vendorType: null, vendorSubtype: null })
      return Bin.Opaque
    },

    leave(record: RecordView, state: State): void {
      inner?.leave?.(record, state.inner)
    },

    end(state: State, sink: Sink): Ending {
      return inner?.end(state.inner, sink) ?? WITHOUT_END
    },
  }
}

/**
 * A line that is no record of the harness (spec §2, rules 2 to 5): of stderr a warning, blank nothing; output that is no
 * JSON is a warning where the harness is known to write JSON, and not understood where it is not.
 */
function outside(record: RecordView, stream: string, line: Node, isKnown: boolean, sink: Sink): Bin {
  const text = record.text(line)?.trim() ?? ''
  if (text === '') return Bin.Bookkeeping
  if (stream === 'stderr' || isKnown) {
    sink.warning({ at: null, code: stream, message: text })
    return Bin.Translated
  }
  sink.opaque({
    at: null,
    vendorType: stream,
    vendorSubtype: null,
    ...(line === NONE ? {} : { block: line }),
  })
  return Bin.Opaque
}
