import { Dialects } from '../dialect/registry.ts'
import { Scanner } from '../kernel/scanner.ts'
import { type Census, takeCensus } from '../sink/census-counts.ts'
import type { JobOptions, TranscriptJob, TranscriptResult } from './job.ts'
import type { Listed } from './listed.ts'
import { readJob } from './read-job.ts'

/**
 * Take the transcripts that only repeat others out of a census. They are read once more for what they added: nobody keeps a
 * census of every transcript, and copies are few.
 *
 * @param repeated places of `results`
 */
export async function withoutRepeated(
  census: Census,
  results: Listed<TranscriptResult>,
  repeated: ReadonlySet<number>,
  jobs: Listed<TranscriptJob>,
  options: JobOptions,
): Promise<Census> {
  if (repeated.size === 0) return census
  const kept = new Set<string>()
  const paths = new Set<string>()
  const wanted = new Set<number>()
  let i = 0
  for (const { path, index, sessions } of results) {
    if (repeated.has(i++)) {
      paths.add(path)
      wanted.add(index)
    } else for (const session of sessions) kept.add(session)
  }
  const tools = { scanner: new Scanner(), dialects: new Dialects(), stream: null }
  for (const job of jobs) {
    if (!wanted.has(job.index) || job.file === null) continue
    for (const { path, census: part } of await readJob(
      job,
      { ...options, usage: false, digest: false },
      tools,
    )) {
      if (part !== null && paths.has(path)) takeCensus(census, part, (session) => kept.has(session))
    }
  }
  return census
}
