/** Something odd that was dealt with, as reports name it. */
export interface ReportNotice {
  readonly code: string
  /** Null when it is about no single transcript. */
  readonly path: string | null
  /** 1-based line of its first occurrence. */
  readonly line: number | null
  readonly count: number
  readonly message: string
}

/** Its JSON, keys in the published order. */
export function noticeJson({ code, path, line, count, message }: ReportNotice): string {
  return JSON.stringify({ code, path, line, count, message })
}
