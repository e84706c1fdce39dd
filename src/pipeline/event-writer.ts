import { operationsOfHarness } from '../dialect/operations.ts'
import type { Sink } from '../event/sink.ts'
import type { RecordView } from '../kernel/record.ts'
import { MetaharnessWriter } from '../sink/metaharness-writer.ts'
import type { Splice } from '../sink/splice.ts'
import { COMPRESSION_SUFFIX } from '../source/codec.ts'
import type { JobOptions, TranscriptJob } from './job.ts'

/** A sink that writes events as lines. */
export interface EventWriter extends Sink {
  /** Lines written so far. */
  readonly events: number
  /** Go on into another splice, which is empty: that of the next chunk. */
  continueIn(out: Splice): void
}

/** Make the writer of a transcript. `record` is the view its records will come in. */
export type MakeWriter = (out: Splice, record: RecordView) => EventWriter

type Notice = (code: string, line: number | null, message: string) => void

/** The event language that a job asks for. */
export async function writerFor(
  job: TranscriptJob,
  options: JobOptions,
  run: string,
  notice: Notice,
): Promise<MakeWriter> {
  const { provenance, opaqueAll, cabinet } = options
  if (cabinet === null) {
    const path = job.path.replace(COMPRESSION_SUFFIX, '')
    const settings = { run, path, provenance, opaqueAll, notice }
    return (out, record) => new MetaharnessWriter(out, record, settings)
  }
  // Loaded when it is wanted: it brings a parser of shell lines.
  const { CabinetWriter } = await import('../sink/cabinet-writer.ts')
  const settings = { ...cabinet, opaqueAll, operationsOf: operationsOfHarness, notice }
  return (out, record) => new CabinetWriter(out, record, settings)
}
