import { countUsage, type UsageRequest } from '../../src/pipeline/count.ts'
import { usageJson } from '../../src/report/usage-json.ts'

/** A row of the published document, or its totals: keys are there when they were asked for. */
export interface UsageRow {
  readonly day?: string | null
  readonly model?: string | null
  readonly session?: string | null
  readonly transcript?: string | null
  readonly requests: number
  readonly tokens: Readonly<Record<string, number | null>>
  readonly cost: Readonly<Record<string, unknown>>
}

/** What tests read of the document of `millrace usage --json`. */
export interface UsageDocument {
  readonly rows: readonly UsageRow[]
  readonly totals: UsageRow
  readonly corpus: Readonly<Record<string, unknown>>
  readonly notices: readonly {
    readonly code: string
    readonly path: string | null
    readonly count: number
    readonly message: string
  }[]
}

/** The usage of PATHs in UTC, by model unless asked otherwise, in this process. */
export async function usageOf(
  paths: readonly string[],
  options: Partial<Pick<UsageRequest, 'by' | 'jobs'>> = {},
): Promise<UsageDocument> {
  const { report } = await countUsage({ by: ['model'], zone: 'UTC', jobs: 0, ...options, paths })
  const document: UsageDocument = JSON.parse(usageJson(report))
  return document
}
