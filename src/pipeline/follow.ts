import { byteOrder } from '../source/byte-order.ts'
import { HTTP_ADDRESS } from '../source/address.ts'
import { SourceError } from '../source/source-error.ts'
import { failedResult, type TranscriptJob } from './job.ts'
import { SharedStream } from './live-output.ts'
import {
  type Followed,
  type FollowResult,
  type LiveSettings,
  LiveTranscript,
  STDIN,
} from './live-transcript.ts'
import { writeManifest } from './manifest.ts'
import type { Output } from './output.ts'

export interface FollowSettings extends LiveSettings {
  /** Where the events of transcripts without an output go, whole lines at a time. */
  readonly stream: Output
  /** The folder that gets a manifest when all have ended. */
  readonly manifest?: string | null
}

/**
 * Translate transcripts while they are written, each into a stream of its own, all at once. What is written is what a
 * conversion of the finished transcripts would give, line by line as records become whole.
 *
 * @throws OutputError when an output cannot be written
 * @throws SourceError when what compresses outputs is missing
 */
export async function followAll(
  followed: readonly Followed[],
  settings: FollowSettings,
): Promise<FollowResult[]> {
  const abort = new AbortController()
  const signal = AbortSignal.any([settings.signal, abort.signal])
  const shared = await SharedStream.over(settings.stream, settings.options)
  try {
    const results = await Promise.all(
      followed.map((one, index) => follow(one, index, shared, { ...settings, signal })),
    )
    if (followed.some(({ output }) => output === null)) shared.output.finish()
    if (typeof settings.manifest === 'string') {
      const transcripts = results.map(({ transcript }) => transcript)
      writeManifest(
        settings.manifest,
        transcripts.toSorted((a, b) => byteOrder(a.path, b.path)),
      )
    }
    return results
  } finally {
    // When one cannot go on, the others must not keep the process.
    abort.abort()
  }
}

async function follow(
  one: Followed,
  index: number,
  shared: SharedStream,
  settings: FollowSettings,
): Promise<FollowResult> {
  const job = jobOf(one, index)
  let live: LiveTranscript | null = null
  try {
    live = new LiveTranscript(one, job, shared, settings)
    return await live.run()
  } catch (error) {
    if (!(error instanceof SourceError)) throw error
    const { input, path } = one
    const { message } = error
    const nothing = { dialect: null, records: 0, events: 0, ending: null, terminal: null }
    const transcript = failedResult(job, error.code, message)
    return { input, path, ...nothing, how: 'failed', message, transcript }
  } finally {
    live?.close()
  }
}

function jobOf({ input, path, output }: Followed, index: number): TranscriptJob {
  const file = input === STDIN || HTTP_ADDRESS.test(input) ? null : input
  return { index, path, file, bytes: 0, named: true, output }
}
