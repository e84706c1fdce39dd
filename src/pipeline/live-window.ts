import type { Adapter } from '../dialect/adapter.ts'
import { type Detection, Detector, WINDOW_BYTES, WINDOW_VALUES } from '../dialect/detect.ts'
import type { Dialects } from '../dialect/registry.ts'
import { NONE } from '../kernel/record.ts'
import type { Scanner } from '../kernel/scanner.ts'
import { refuseByMagic, SourceError } from '../source/source-error.ts'
import type { LiveReader } from './live-reader.ts'
import { LATER, within } from './patience.ts'
import { captured, CAPTURE } from './window.ts'

/** How long more is waited for once one dialect alone was hinted at, in milliseconds: its proof, or the run's id. */
const PATIENCE_MS = 1000

/**
 * Look at the beginning of a transcript as it comes, until a value proves its dialect and one names its run; else until the
 * window is full or the input ends. What was looked at is still there to be scanned.
 *
 * Where only one dialect was hinted at, its proof and the run's id are not waited for as long as `lookAt` would look for
 * them: what is known of a run should not be held back for long.
 *
 * @throws SourceError when the transcript is none that can be followed
 */
export async function watchBeginning(
  path: string,
  reader: LiveReader,
  scanner: Scanner,
  dialects: Dialects,
  forced: Adapter<unknown> | null,
): Promise<Detection> {
  const detector = new Detector(dialects, forced?.dialect === CAPTURE ? null : forced)
  let values = 0
  let isLikely = false
  let isFirst = true
  while (!detector.settled) {
    while (!detector.settled && reader.look()) {
      if (isFirst) refuse(path, reader, scanner)
      isFirst = false
      for (let i = 0; i < scanner.recordCount && !detector.settled; i++) {
        const record = scanner.select(i, 1)
        if (record.root === NONE) continue
        values++
        detector.look(record, record.root)
      }
    }
    if (detector.settled || reader.ended) break
    if (values >= WINDOW_VALUES && (isLikely || reader.heldBytes >= WINDOW_BYTES)) break
    isLikely ||= forced !== null || isUndisputed(detector.finish())
    const more = isLikely ? await within(reader.more(), PATIENCE_MS) : await reader.more()
    if (more === LATER) break
  }
  const detection = detector.finish()
  return reader.framing === 'capture' ? captured(detection, dialects) : detection
}

/** Is there a proof, or do all hints say the same? */
function isUndisputed({ signs }: Detection): boolean {
  const [first] = signs
  return (
    first !== undefined &&
    (signs.some(({ weight }) => weight === 'proof') ||
      signs.every(({ dialect }) => dialect === first.dialect))
  )
}

/** @throws SourceError for compressed files and documents, which make no sense before they are whole */
function refuse(path: string, reader: LiveReader, scanner: Scanner): void {
  const refusal = refuseByMagic(path, reader.head())
  if (refusal !== null) throw refusal
  if (reader.framing !== null || !beginsDocument(scanner)) return
  const message = `${path}: is one JSON document, which has to be whole; convert it when it is finished`
  throw new SourceError('ERR_INPUT_UNREADABLE', message)
}

/** Does the first line open an array, or an object that goes on behind it? */
function beginsDocument(scanner: Scanner): boolean {
  if (scanner.recordCount === 0) return false
  const record = scanner.select(0, 1)
  if (record.root !== NONE) return record.isArray(record.root)
  const line = record.bytes.utf8Slice(record.start, Math.min(record.end, record.start + 4096)).trim()
  return /^[[{](?:.*[[{,])?$/.test(line)
}
