import type { Notice } from '../sink/notices.ts'
import type { TranscriptJob, TranscriptResult } from './job.ts'

/**
 * What is kept of the results of a run. There may be hundreds of thousands, and each comes out of a worker with strings and
 * lists of its own: those that many have in common, or that the job has already, are kept once.
 */
export class KeptResults {
  private readonly words = new Map<string, string>()
  private readonly endings = new Map<string, TranscriptResult['ending']>()

  /** The result without its census, which has been merged by now. */
  of(job: TranscriptJob, result: TranscriptResult): TranscriptResult {
    const { path, output, run, sessions } = result
    return {
      ...result,
      path: path === job.path ? job.path : path,
      output: output === job.output ? job.output : output,
      dialect: this.word(result.dialect),
      adapterSlug: this.word(result.adapterSlug),
      project: this.word(result.project),
      sessions: run !== null && sessions.length === 1 && sessions[0] === run ? [run] : list(sessions),
      ending: this.ending(result.ending),
      notices: result.notices.length === 0 ? NONE : result.notices.map((notice) => this.notice(notice)),
      unparsedLines: list(result.unparsedLines),
      opaqueTypes: list(result.opaqueTypes),
      parts: list(result.parts),
      announced: list(result.announced),
      census: null,
    }
  }

  private notice({ code, line, count, message }: Notice): Notice {
    return { code: this.word(code), line, count, message: this.word(message) }
  }

  /** Most transcripts of a dialect end in the same few ways. */
  private ending(ending: TranscriptResult['ending']): TranscriptResult['ending'] {
    if (ending === null) return null
    const spelled = JSON.stringify(ending)
    const known = this.endings.get(spelled)
    if (known !== undefined) return known
    if (this.endings.size < MOST_ENDINGS) this.endings.set(spelled, ending)
    return ending
  }

  private word<Word extends string | null>(word: Word): Word | string {
    if (word === null) return word
    const known = this.words.get(word)
    if (known !== undefined) return known
    if (this.words.size < MOST_WORDS) this.words.set(word, word)
    return word
  }
}

/** Words that are shared; of projects there may be more. */
const MOST_WORDS = 10_000
const MOST_ENDINGS = 1000
const NONE: readonly never[] = []

function list<T>(items: readonly T[]): readonly T[] {
  return items.length === 0 ? NONE : items
}
