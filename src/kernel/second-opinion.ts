import { createRequire } from 'node:module'

/**
 * Whether a line is JSON, asked of others than our scanner (design §5.2): the `simdjson` binding where it is built, whose
 * yes is proof, then `JSON.parse`. The binding's no is none: it also refuses numbers and escapes that JSON allows.
 */
export function isJson(text: string): boolean {
  native ??= loadNative() ?? (() => false)
  return native(text) || parses(text)
}

/** The binding's own verdict, or null where it is not built. For cross-checks that are about the binding itself. */
export function nativeIsValid(): ((text: string) => boolean) | null {
  return loadNative()
}

let native: ((text: string) => boolean) | null = null

function parses(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** The binding is an optional dependency; without its compiled part it loads as a stand-in that lacks `lazyParse`. */
function loadNative(): ((text: string) => boolean) | null {
  try {
    const binding: unknown = createRequire(import.meta.url)('simdjson')
    if (typeof binding !== 'object' || binding === null) return null
    if (!('lazyParse' in binding) || !('isValid' in binding) || typeof binding.isValid !== 'function')
      return null
    const { isValid } = binding
    return (text) => isValid(text) === true
  } catch {
    return null
  }
}
