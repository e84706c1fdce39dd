import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Script } from 'node:vm'

/** What the build packs into one file, by name: the exports of a source. */
interface Exports {
  readonly program: typeof import('../cli/program.ts')
  readonly transcripts: object
  readonly digest: object
  readonly decode: object
}

/** A part is set up when it is asked for. */
type Parts = { readonly [Name in keyof Exports]: () => Exports[Name] }

/** The packed file is one function expression. @param url stands for `import.meta.url` */
type Packed = (
  require: NodeJS.Require,
  importPackage: (name: string) => Promise<object>,
  url: string,
) => Parts

const PACKED = join(import.meta.dirname, 'parts.cjs')
/** Bytecode of what nearly every run needs. V8 refuses that of another version of its own, and compiles the text. */
const BYTECODE = join(import.meta.dirname, 'parts.bytecode')

/**
 * Load the command, or what a thread does. To compile it takes a good part of a short run; here most of it comes compiled,
 * which this version of Node cannot do for ES modules.
 *
 * @throws Error when it was not built
 */
export function part<Name extends keyof Parts>(name: Name): Exports[Name] {
  return open().parts[name]()
}

/** All parts, and the script that they are in. @public The build asks it for its bytecode. */
export function open(): { readonly parts: Parts; readonly script: Script } {
  const script = new Script(readFileSync(PACKED, 'latin1'), {
    filename: PACKED,
    ...(existsSync(BYTECODE) ? { cachedData: readFileSync(BYTECODE) } : {}),
  })
  const packed: Packed = script.runInThisContext()
  const parts = packed(createRequire(PACKED), (name) => import(name), pathToFileURL(PACKED).href)
  return { parts, script }
}
