/** How fast millrace has to be. Each goal is a ratio of one run on one machine, except where time itself is the point. */
export interface Goal {
  readonly name: GoalName
  readonly work: string
  readonly sense: 'at least' | 'at most'
  readonly limit: number
  readonly unit: Unit
}

export type Unit = 'x' | 'MB' | 'files/s' | 'ms'

export type GoalName =
  | 'scan'
  | 'convert'
  | 'folder'
  | 'folder-no-digest'
  | 'usage-ccusage'
  | 'usage-duckdb'
  | 'transcript'
  | 'peak-rss'
  | 'peak-rss-large'
  | 'small-files'
  | 'version'
  | 'ten-kilobytes'

/** What was measured for one goal, and what there is to say about it. */
export interface Measured {
  readonly name: GoalName
  readonly value: number
  /** Which of several things it was, or what it was measured on; may be empty. */
  readonly note: string
}

/** A goal and whether it is met; null for both when it was not measured. */
export interface Verdict extends Goal {
  readonly measured: number | null
  readonly met: boolean | null
  readonly note: string
}

/** @param peakLimitMb megabytes that a whole process may take with all its workers */
export function goalsFor(peakLimitMb: number): readonly Goal[] {
  return [
    atLeast('scan', 'scan kernel, against JSON.parse of each line, one core', 10, 'x'),
    atLeast('convert', 'full conversion, one thread, against JSON.parse → map → JSON.stringify', 8, 'x'),
    atMost('folder', 'convert the folder with both digests, time as a multiple of cp -r', 1.8, 'x'),
    atMost('folder-no-digest', 'the same with --no-digest', 1.2, 'x'),
    atLeast('usage-ccusage', 'usage of the folder, against ccusage', 8, 'x'),
    atLeast('usage-duckdb', 'usage of the folder, against a typed sum by DuckDB', 1.5, 'x'),
    atLeast('transcript', 'convert one transcript as large as the folder, against --jobs 0', 1.7, 'x'),
    atMost('peak-rss', 'peak RSS of any of these', peakLimitMb, 'MB'),
    atMost('peak-rss-large', 'peak RSS, convert one very large transcript', peakLimitMb, 'MB'),
    atLeast('small-files', 'convert files of 2 KB, both digests', 20_000, 'files/s'),
    atMost('version', 'millrace --version', 60, 'ms'),
    atMost('ten-kilobytes', 'convert one transcript of 10 KB', 150, 'ms'),
  ]
}

/** Every goal, in order, with what was measured for it. */
export function judgeGoals(goals: readonly Goal[], all: readonly Measured[]): Verdict[] {
  return goals.map((goal) => {
    const found = all.find(({ name }) => name === goal.name)
    if (found === undefined) return { ...goal, measured: null, met: null, note: '' }
    const { value, note } = found
    const met = goal.sense === 'at least' ? value >= goal.limit : value <= goal.limit
    return { ...goal, measured: value, met, note }
  })
}

function atLeast(name: GoalName, work: string, limit: number, unit: Unit): Goal {
  return { name, work, sense: 'at least', limit, unit }
}

function atMost(name: GoalName, work: string, limit: number, unit: Unit): Goal {
  return { name, work, sense: 'at most', limit, unit }
}
