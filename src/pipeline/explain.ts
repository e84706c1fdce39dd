import type { Sign } from '../dialect/detect.ts'
import { Dialects } from '../dialect/registry.ts'
import { Scanner } from '../kernel/scanner.ts'
import { FileSource } from '../source/source.ts'
import { refuseByMagic } from '../source/source-error.ts'
import { ChunkReader } from './chunk-reader.ts'
import { jobOptions } from './options.ts'
import { lookAt } from './window.ts'

/** How the dialect of a file was told. */
export interface Explanation {
  readonly dialect: string
  readonly run: string | null
  /** What the values of the window showed, in order, up to the proof. */
  readonly signs: readonly Sign[]
  readonly document: boolean
}

/** Look at the beginning of a file. @throws SourceError when it cannot be read */
export async function explain(path: string): Promise<Explanation> {
  const source = new FileSource(path)
  try {
    const options = jobOptions({})
    const scanner = new Scanner()
    const reader = new ChunkReader(source, scanner, options)
    const { detection, document } = await lookAt(reader, scanner, new Dialects(), null, options.lineLimit)
    const refusal = refuseByMagic(path, reader.head())
    if (refusal !== null) throw refusal
    return {
      dialect: detection.adapter.dialect,
      run: detection.run,
      signs: detection.signs,
      document: document !== null,
    }
  } finally {
    source.close()
  }
}
