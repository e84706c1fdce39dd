import type { Adapter } from '../dialect/adapter.ts'
import { type Detection, Detector, WINDOW_BYTES, WINDOW_VALUES } from '../dialect/detect.ts'
import type { Dialects } from '../dialect/registry.ts'
import { NONE } from '../kernel/record.ts'
import { INPUT_AT, type Scanner } from '../kernel/scanner.ts'
import type { ChunkReader } from './chunk-reader.ts'
import { type JsonDocument, looksLikeDocument, openDocument } from './document.ts'

/** What the beginning of a transcript shows. */
export interface Window {
  readonly detection: Detection
  /** The transcript, when it is one JSON document instead of lines. */
  readonly document: JsonDocument | null
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
  const detector = new Detector(dialects, forced)
  await reader.window(WINDOW_BYTES, WINDOW_VALUES)
  if (looksLikeDocument(scanner)) {
    const document = await openDocument(reader, scanner, limit)
    if (document !== null) {
      document.each((item) => detector.look(item, item.root), undefined, WINDOW_VALUES)
      return { detection: detector.finish(), document }
    }
    await reader.window(WINDOW_BYTES, WINDOW_VALUES)
  }
  let values = 0
  for (let i = 0; i < scanner.recordCount && !detector.settled; i++) {
    const record = scanner.select(i, 1)
    if (values >= WINDOW_VALUES && record.start - INPUT_AT >= WINDOW_BYTES) break
    if (record.root === NONE) continue
    values++
    detector.look(record, record.root)
  }
  return { detection: detector.finish(), document: null }
}
