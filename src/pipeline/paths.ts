import { basename } from 'node:path'
import type { Adapter } from '../dialect/adapter.ts'
import { ARCHIVE_SUFFIX } from '../source/archive.ts'
import { COMPRESSION_SUFFIX } from '../source/codec.ts'
import { DATABASE_SUFFIX } from '../source/store-database.ts'
import { hashText, IDENTITY_WORDS } from '../usage/identity.ts'
import { IdentityMap } from '../usage/identity-map.ts'
import type { JobOptions } from './job.ts'

/** Endings of the files that are looked at in a folder. */
const TRANSCRIPT_SUFFIX = /\.(?:jsonl|ndjson|json|sse|log|txt)$/

/** The run of a transcript whose records name none: what its dialect reads out of the path, else the file stem. */
export function runByPath(adapter: Adapter<unknown>, path: string, file: string | null): string {
  const named = adapter.runOfPath?.(path) ?? (file === null ? null : adapter.runOfPath?.(file))
  return named ?? runOf(path)
}

/** A run id for a transcript that names none: the file stem without suffixes, `stdin` for standard input. */
function runOf(path: string): string {
  if (path === '-') return 'stdin'
  const plain = basename(path).replace(COMPRESSION_SUFFIX, '')
  return plain.replace(TRANSCRIPT_SUFFIX, '') || plain
}

/**
 * Names of outputs below the output folder, one for each path: `a/b.jsonl` becomes `a/b.events.jsonl`. Where two would
 * get one name, the whole input name stands before the ending. Paths are made safe.
 */
export function outputNames(paths: readonly string[], ending: string): string[] {
  const odd = oddNames(paths, ending)
  return paths.map((path, i) => odd.get(i) ?? usualName(path, ending))
}

/** The name of the output for a path that shares its name with no other. */
export function usualName(path: string, ending: string): string {
  return isContainer(path) ? safePath(archiveFolder(path)) : outputName(path, ending)
}

/**
 * By place of a path: the names of outputs that cannot have their usual name. Names are compared by 128 bits of hash: of many
 * paths a list of names would be long, and two that are taken for one only get a longer name.
 */
export function oddNames(paths: readonly string[], ending: string): ReadonlyMap<number, string> {
  const odd = new Map<number, string>()
  const seen = new IdentityMap()
  const twice = new IdentityMap()
  for (const path of paths) {
    hashName(usualName(path, ending))
    if (!seen.add(hashed, 0)) twice.add(hashed, 0)
  }
  if (twice.size === 0) return odd
  const taken = new IdentityMap()
  for (const [i, path] of paths.entries()) {
    const usual = usualName(path, ending)
    hashName(usual)
    let chosen = twice.has(hashed, 0) ? safePath(path) + ending : usual
    hashName(chosen)
    for (let n = 2; !taken.add(hashed, 0); n++) {
      chosen = `${safePath(path)}.${n}${ending}`
      hashName(chosen)
    }
    if (chosen !== usual) odd.set(i, chosen)
  }
  return odd
}

const NAME_SEED = 0x51ed270b
const hashed = new Uint32Array(IDENTITY_WORDS)

function hashName(name: string): void {
  hashText(name, 0, name.length, NAME_SEED, hashed)
}

/** Ending of converted streams. */
const EVENTS_ENDING = '.events.jsonl'
const CABINET_ENDING = '.cabinet.jsonl'
const TRACE_ENDING = '.trace.json'

/** The ending of outputs in the event language and compression that are asked for. */
export function endingOf(options: Pick<JobOptions, 'cabinet' | 'traceIr' | 'compress'>): string {
  const ending = options.traceIr ? TRACE_ENDING : options.cabinet === null ? EVENTS_ENDING : CABINET_ENDING
  return options.compress === null ? ending : `${ending}.${options.compress}`
}

/** Name of the output for one path. */
export function outputName(path: string, ending: string): string {
  return safePath(path.replace(COMPRESSION_SUFFIX, '').replace(TRANSCRIPT_SUFFIX, '')) + ending
}

/** Does a file of this name hold several transcripts? */
export function isContainer(path: string): boolean {
  return ARCHIVE_SUFFIX.test(path) || DATABASE_SUFFIX.test(path)
}

/** The folder that stands for an archive, in paths and for its outputs: its name without compression. */
export function archiveFolder(path: string): string {
  return path.replace(/\.tgz$/, '.tar').replace(COMPRESSION_SUFFIX, '')
}

/** What a path must not hold: control characters, what some system reads as more than a name, and parts of no or only dots. */
const UNSAFE = /[\p{Cc}:*?"<>|\\]|(?:^|\/)\.{0,2}(?:\/|$)/u

/** A relative path that cannot leave its folder: no absolute paths, no `..`, no control characters. */
export function safePath(path: string): string {
  // Almost all are as they should be.
  if (!UNSAFE.test(path)) return path
  const parts = path
    .replaceAll('\\', '/')
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .map((part) => (part === '..' ? '__' : part.replaceAll(/[\p{Cc}:*?"<>|]/gu, '_')))
  return parts.join('/') || 'stdin'
}

/**
 * Prefixes for several PATHs whose files share one output: their base names, numbered where equal; none for a single
 * folder.
 */
export function prefixesOf(roots: readonly string[], several: boolean): string[] {
  const seen = new Map<string, number>()
  return roots.map((root) => {
    if (!several || root === '') return ''
    const base = basename(root) || 'root'
    const n = (seen.get(base) ?? 0) + 1
    seen.set(base, n)
    return n === 1 ? base : `${base}-${n}`
  })
}
