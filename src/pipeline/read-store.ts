import { join } from 'node:path'
import { isDatabase } from '../source/sqlite.ts'
import { DATABASE_SUFFIX, openStore } from '../source/store-database.ts'
import { storedSession, StoreSource } from '../source/store-folder.ts'
import { failedResult, type JobOptions, type TranscriptJob, type TranscriptResult } from './job.ts'
import { OutputError } from './output-error.ts'
import { endingOf, safePath } from './paths.ts'
import { readTranscript, type Tools } from './transcript.ts'

/**
 * Read what a job names when it is part of OpenCode's store: one session of its storage folder, or all sessions of its
 * database. Null when it is neither.
 *
 * @throws SourceError when it cannot be opened
 * @throws OutputError when an output cannot be written
 */
export async function readStore(
  job: TranscriptJob,
  options: JobOptions,
  tools: Tools,
): Promise<TranscriptResult[] | null> {
  if (job.file === null) return null
  const session = storedSession(job.file, job.named)
  if (session !== null) {
    const source = new StoreSource(session)
    const result = await readTranscript(job, options, tools, source)
    return [{ ...result, parts: [...result.parts, ...source.parts] }]
  }
  // A database of another name has to be looked into: only where the caller names it.
  const mayBe = DATABASE_SUFFIX.test(job.path) || job.named
  return mayBe && isDatabase(job.file) ? readDatabase(job, job.file, options, tools) : null
}

/** The sessions of a database, one after the other, as transcripts below its path. */
async function readDatabase(
  job: TranscriptJob,
  file: string,
  options: JobOptions,
  tools: Tools,
): Promise<TranscriptResult[]> {
  const store = await openStore(file)
  try {
    const isFolder = job.output !== null && DATABASE_SUFFIX.test(job.path)
    if (job.output !== null && !isFolder && store.sessions.length > 1) {
      const message = `${job.output}: one file cannot hold the sessions of a database; name a folder`
      throw new OutputError('ERR_OUTPUT_UNWRITABLE', message)
    }
    if (store.sessions.length === 0) {
      return [failedResult(job, 'ERR_INPUT_UNREADABLE', `${job.path}: the database holds no sessions`)]
    }
    const results: TranscriptResult[] = []
    for (const session of store.sessions) {
      const name = safePath(session)
      const output = isFolder ? join(job.output, name + endingOf(options)) : job.output
      const one = { index: job.index, path: `${job.path}/${name}`, file: null, bytes: 0, named: true, output }
      results.push(await readTranscript(one, options, tools, store.source(session)))
    }
    return results
  } finally {
    store.close()
  }
}
