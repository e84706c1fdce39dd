import type { Adapter } from '../dialect/adapter.ts'
import { type Detection, Detector, WINDOW_BYTES, WINDOW_VALUES } from '../dialect/detect.ts'
import type { Dialects } from '../dialect/registry.ts'
import { NONE } from '../kernel/record.ts'
import { INPUT_AT, type Scanner } from '../kernel/scanner.ts'
import type { Framing } from '../source/framing.ts'
import type { ChunkReader } from './chunk-reader.ts'
import { type JsonDocument, looksLikeDocument, openDocument } from './document.ts'

/** What the beginning of a transcript shows. */
export interface Window {
  readonly detection: Detection
  /** The transcript, when it is one JSON document instead of lines. */
  readonly document: JsonDocument | null
  /** What stands around its records; null for plain lines of JSON. */
  readonly framing: Framing | null
}

/**
 * Look at the window of a transcript that nothing was read of yet. For lines, the reader's next chunk is the first again,
 * and is in place already where chunks are as large as the window.
 *
 * @param limit most bytes a document may have
 */
export async function lookAt(
  reader: ChunkReader,
  scanner: Scanner,
  dialects: Dialects,
  forced: Adapter<unknown> | null,
  limit: number,
): Promise<Window> {
  await reader.window(WINDOW_BYTES, WINDOW_VALUES)
  const { framing } = reader
  const isCapture = framing === 'capture'
  // Which dialect the lines of a capture are of is still to be seen.
  const wanted = isCapture && forced?.dialect === CAPTURE ? null : forced
  const detector = new Detector(dialects, wanted)
  if (framing === null && looksLikeDocument(scanner)) {
    const document = await openDocument(reader, scanner, limit)
    if (document !== null) {
      document.each((item) => detector.look(item, item.root), undefined, WINDOW_VALUES)
      return { detection: detector.finish(), document, framing: null }
    }
    await reader.window(WINDOW_BYTES, WINDOW_VALUES)
  }
  let values = 0
  for (let i = 0; i < scanner.recordCount && !detector.settled; i++) {
    const { runKey } = detector
    if (runKey !== null && values >= WINDOW_VALUES) i = scanner.nextWith(runKey, i)
    if (i >= scanner.recordCount) break
    const record = scanner.select(i, 1)
    if (values >= WINDOW_VALUES && record.start - INPUT_AT >= WINDOW_BYTES) break
    if (record.root === NONE) continue
    values++
    detector.look(record, record.root)
  }
  const detection = detector.finish()
  return { detection: isCapture ? captured(detection, dialects) : detection, document: null, framing }
}

export const CAPTURE = 'cabinet-raw'

/** The dialect of a capture is that of its wrapping; what its lines are of is inside. */
export function captured(detection: Detection, dialects: Dialects): Detection {
  const wrapping = { line: 1, dialect: CAPTURE, weight: 'proof', reason: 'lines of {stream,line}' } as const
  return {
    ...detection,
    adapter: dialects.captured(detection.adapter),
    signs: [wrapping, ...detection.signs],
  }
}
