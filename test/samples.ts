import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { Dialects } from '../src/dialect/registry.ts'
import { projectDir } from './shared.ts'

/** A transcript of `corpora/`, and where what it must become lies beside it. */
export interface Sample {
  /** The dialect it is of, which is the name of its folder. */
  readonly dialect: string
  /** Its name in that folder. */
  readonly name: string
  /** The file, or the folder of a store. */
  readonly file: string
  /** The events that a conversion gives. */
  readonly events: string
  /** The events of The Test Cabinet; null for samples that add nothing to them. */
  readonly cabinet: string | null
}

const { adapters, fallback } = new Dialects()
export const DIALECTS: readonly string[] = [...adapters, fallback].map(({ dialect }) => dialect)

/** All samples, of every dialect: a new file in `corpora/` is a new test. */
export const SAMPLES: readonly Sample[] = DIALECTS.flatMap((dialect) => {
  const folder = join(projectDir, 'corpora', dialect)
  return readdirSync(folder)
    .filter((name) => !/\.(?:events\.jsonl|cabinet\.jsonl|settings\.json)$/.test(name))
    .map((name): Sample => {
      const base = join(folder, name.replace(/\.\w+$/, ''))
      const file = join(folder, name)
      const cabinet = `${base}.cabinet.jsonl`
      return {
        dialect,
        name,
        file,
        events: `${base}.events.jsonl`,
        cabinet: existsSync(cabinet) ? cabinet : null,
      }
    })
})
