import { join } from 'node:path'
import { ARCHIVE_SUFFIX, type ArchiveEnd, type Member, tarMembers, zipMembers } from '../source/archive.ts'
import { decodedByMagic, type Opened, openSource } from '../source/codec.ts'
import { isSidecar, isTranscriptName } from '../source/discover.ts'
import type { Trouble } from '../source/source.ts'
import { StoreSpool } from '../source/store-spool.ts'
import { SourceError } from '../source/source-error.ts'
import { failedResult, type JobOptions, type TranscriptJob, type TranscriptResult } from './job.ts'
import { OutputError } from './output-error.ts'
import { archiveFolder, endingOf, outputName, safePath } from './paths.ts'
import { readStore } from './read-store.ts'
import { readTranscript, type Tools } from './transcript.ts'

/** Compressed files from this size on take longer to decompress than a thread to start, in bytes. */
const ASIDE_BYTES = 4 * 1024 * 1024

/**
 * Read what one job names: a transcript, or an archive of them. Never throws for what is wrong with the input.
 *
 * @throws OutputError when an output cannot be written
 */
export async function readJob(
  job: TranscriptJob,
  options: JobOptions,
  tools: Tools,
): Promise<TranscriptResult[]> {
  let opened: Opened
  try {
    const stored = await readStore(job, options, tools)
    if (stored !== null) return stored
    opened = await aside(await openSource(job.file, options.headers), job, tools)
  } catch (error) {
    if (error instanceof SourceError) return [failedResult(job, error.code, error.message)]
    throw error
  }
  try {
    if (opened.archive === null) return [await readTranscript(job, options, tools, opened.source)]
    return await readArchive(job, options, tools, opened)
  } catch (error) {
    if (error instanceof SourceError) return [failedResult(job, error.code, error.message)]
    throw error
  } finally {
    opened.source.close()
  }
}

/** Have what is compressed decompressed by another thread, where there is one and it is worth that. */
async function aside(opened: Opened, job: TranscriptJob, tools: Tools): Promise<Opened> {
  if (!opened.compressed || job.file === null || job.bytes < ASIDE_BYTES || tools.aside === undefined)
    return opened
  opened.source.close()
  return { ...opened, source: await tools.aside(job.file) }
}

/** The transcripts of an archive, one after the other, as they come. Other files in it are passed over. */
async function readArchive(
  job: TranscriptJob,
  options: JobOptions,
  tools: Tools,
  opened: Opened,
): Promise<TranscriptResult[]> {
  if (job.output !== null && !ARCHIVE_SUFFIX.test(job.path)) {
    const message = `${job.output}: one file cannot hold the transcripts of an archive; name a folder`
    throw new OutputError('ERR_OUTPUT_UNWRITABLE', message)
  }
  const results: TranscriptResult[] = []
  const taken = new Set<string>()
  const members = membersOf(job, opened)
  const spool = new StoreSpool()
  try {
    let next = await members.next()
    for (; next.done !== true; next = await members.next()) {
      const { name, source } = next.value
      if (!isTranscriptName(name) || isSidecar(name) || (await spool.keep(name, source))) continue
      // Members may be compressed themselves; an archive in an archive is not opened.
      const inner = await decodedByMagic(source)
      const member = memberJob(job, name, taken, endingOf(options))
      results.push(await readTranscript(member, options, tools, inner))
    }
    for (const { name, source, parts } of spool.transcripts()) {
      const member = memberJob(job, name, taken, endingOf(options))
      const result = await readTranscript(member, options, tools, source).finally(() => source.close())
      results.push({ ...result, parts: [...result.parts, ...parts] })
    }
    const trouble = opened.source.trouble ?? next.value.trouble
    return withEnd(job, results, next.value.left, trouble)
  } finally {
    spool.close()
  }
}

function membersOf(job: TranscriptJob, opened: Opened): AsyncGenerator<Member, ArchiveEnd, undefined> {
  if (opened.archive === 'tar') return tarMembers(opened.source)
  if (job.file === null || opened.compressed) {
    throw new SourceError(
      'ERR_CODEC_UNSUPPORTED',
      `${job.path}: a zip archive is read from its end; pass it as a file`,
    )
  }
  return zipMembers(job.file, job.path)
}

function memberJob(archive: TranscriptJob, name: string, taken: Set<string>, ending: string): TranscriptJob {
  const folder = archiveFolder(archive.path)
  const safe = safePath(name)
  let path = `${folder}/${safe}`
  for (let n = 2; taken.has(path); n++) path = `${folder}/${safe.replace(/(\.[^./]*)?$/, `-${n}$1`)}`
  taken.add(path)
  const output =
    archive.output === null ? null : join(archive.output, outputName(path.slice(folder.length + 1), ending))
  return { index: archive.index, path, file: null, bytes: 0, named: false, output }
}

/** Say of the archive as a whole what was odd about it, on the transcript that was read last. */
function withEnd(
  job: TranscriptJob,
  results: readonly TranscriptResult[],
  left: number,
  trouble: Trouble | null,
): TranscriptResult[] {
  const last = results.at(-1)
  if (last === undefined) {
    if (trouble === null) return []
    return [failedResult(job, 'ERR_INPUT_UNREADABLE', `${job.path}: ${trouble.message}`)]
  }
  const notices = [...last.notices]
  if (left > 0) {
    const message = 'links and devices in the archive were left out'
    notices.push({ code: 'archive-links', line: null, count: left, message })
  }
  if (trouble !== null) {
    notices.push({ code: `source-${trouble.kind}`, line: null, count: 1, message: trouble.message })
  }
  const broken = last.broken || (trouble !== null && trouble.kind !== 'junk')
  return [...results.slice(0, -1), { ...last, notices, broken }]
}
