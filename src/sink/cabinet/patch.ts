const FILE_MARKER = /^\*\*\* (?:Add File|Update File|Delete File|Move to):([^\r\n]+)/gm
const DIFF_MARKER = /^(?:\+\+\+|---) (?:[ab]\/)?([^\t\r\n]+)/gm

/** Files one patch may name. */
const MOST_FILES = 1000

/**
 * The files that a patch is about, each once, in their order: those behind `*** Add File:`, `*** Update File:`,
 * `*** Delete File:` and `*** Move to:`, else those of a unified diff. Empty when it names none, or too many.
 */
export function patchedFiles(patch: string): string[] {
  const marked = distinct(patch.matchAll(FILE_MARKER))
  const files = marked.size > 0 ? marked : distinct(patch.matchAll(DIFF_MARKER))
  return files.size > MOST_FILES ? [] : [...files]
}

function distinct(matches: Iterable<RegExpExecArray>): Set<string> {
  const files = new Set<string>()
  for (const [, path] of matches) {
    const file = path?.trim() ?? ''
    if (file !== '' && file !== '/dev/null') files.add(file)
    if (files.size > MOST_FILES) break
  }
  return files
}
