/** `C:\work`, `C:/work`, `\\host\share`: what only Windows calls absolute. */
const WINDOWS = /^(?:[A-Za-z]:[\\/]|\\\\)/
const URL_LIKE = /^[A-Za-z][A-Za-z0-9+.-]+:\/\//

/**
 * A path as the events write it: joined to `base` when it is relative and the base known, then without `.`, `..` and
 * doubled slashes, and always with `/`. A relative path without a base stays exactly as it is written, and so do a home
 * folder and an address.
 */
export function resolvePath(path: string, base: string | null): string {
  if (path.startsWith('/')) return normalize(path)
  if (path.startsWith('~') || URL_LIKE.test(path)) return path
  const isWindows = WINDOWS.test(path) || (base !== null && WINDOWS.test(base))
  const plain = isWindows ? path.replaceAll('\\', '/') : path
  if (isAbsolute(plain)) return normalize(plain)
  if (base === null) return path
  return normalize(`${WINDOWS.test(base) ? base.replaceAll('\\', '/') : base}/${plain}`)
}

/** The folder that `cd` leads to from `dir`; null when it cannot be told. */
export function changeDir(dir: string | null, to: string | null): string | null {
  if (to === null || to === '' || to === '-') return null
  return dir === null ? to : resolvePath(to, dir)
}

function isAbsolute(path: string): boolean {
  return path.startsWith('/') || WINDOWS.test(path)
}

/** Parts that a path can do without. */
const EMPTY_PARTS = /\/(?:\.{0,2})(?:\/|$)|^\.{1,2}(?:\/|$)/

function normalize(path: string): string {
  if (!EMPTY_PARTS.test(path) && path !== '') return path
  const root = /^(?:\/|[A-Za-z]:\/)?/.exec(path)?.[0] ?? ''
  const kept: string[] = []
  for (const part of path.slice(root.length).split('/')) {
    if (part === '' || part === '.') continue
    if (part !== '..') kept.push(part)
    else if (kept.length > 0 && kept.at(-1) !== '..') kept.pop()
    else if (root === '') kept.push('..')
  }
  return root + kept.join('/') || '.'
}
