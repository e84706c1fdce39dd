import type { ShellWord } from './shell-line.ts'

/** The arguments of a program, sorted. */
export interface Options {
  /** By letter or long name: what was given with it, an empty string for a bare flag. `#` holds `-20`. */
  readonly given: ReadonlyMap<string, readonly string[]>
  readonly operands: readonly ShellWord[]
}

/** Letters and long names that take a value, apart by spaces. */
export type Valued = ReadonlySet<string>

/** @param names letters and long names, apart by white space */
export function valued(names: string): Valued {
  return new Set(names.split(/\s+/))
}

/**
 * Sort the arguments of a program as its own parser would: `-rnA3`, `-A 3`, `--glob=x`, `--glob x`, `--`. A value that
 * only running the line would tell is given as an empty string.
 */
export function parseOptions(words: readonly ShellWord[], takesValue: Valued): Options {
  const given = new Map<string, string[]>()
  const operands: ShellWord[] = []
  const give = (name: string, value: string): void => {
    const values = given.get(name)
    if (values === undefined) given.set(name, [value])
    else values.push(value)
  }
  for (let i = 0; i < words.length; i++) {
    const word = words[i] ?? null
    if (word === null || word === '-' || !word.startsWith('-')) {
      operands.push(word)
    } else if (word === '--') {
      operands.push(...words.slice(i + 1))
      break
    } else if (word.startsWith('--')) {
      const [name = '', value] = cut(word.slice(2))
      give(name, value ?? (takesValue.has(name) ? (words[++i] ?? '') : ''))
    } else if (/^-\d+$/.test(word)) {
      give('#', word.slice(1))
    } else {
      for (let at = 1; at < word.length; at++) {
        const letter = word[at] ?? ''
        if (!takesValue.has(letter)) {
          give(letter, '')
          continue
        }
        give(letter, at + 1 < word.length ? word.slice(at + 1) : (words[++i] ?? ''))
        break
      }
    }
  }
  return { given, operands }
}

function cut(option: string): [name: string, value?: string] {
  const at = option.indexOf('=')
  return at < 0 ? [option] : [option.slice(0, at), option.slice(at + 1)]
}
