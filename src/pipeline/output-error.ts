const CODES = ['ERR_OUTPUT_CLOSED', 'ERR_DISK_FULL', 'ERR_OUTPUT_UNWRITABLE'] as const
export type OutputErrorCode = (typeof CODES)[number]

/** An output that cannot be written. The run cannot go on: the message says what would make it right. */
export class OutputError extends Error {
  override readonly name = 'OutputError'
  readonly code: OutputErrorCode

  constructor(code: OutputErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }

  /** Run a file system call on `path`; its failure is thrown as an `OutputError`. */
  static guard<T>(path: string, call: () => T): T {
    try {
      return call()
    } catch (error) {
      throw OutputError.from(path, error)
    }
  }

  /** The error whose message this is, after a worker has stripped it of its class; null when it is none. */
  static parse(message: string): OutputError | null {
    for (const code of CODES)
      if (message.startsWith(`${code}: `)) return new OutputError(code, message.slice(code.length + 2))
    return null
  }

  private static from(path: string, error: unknown): OutputError {
    const code = error instanceof Error && 'code' in error ? error.code : null
    if (code === 'EPIPE')
      return new OutputError('ERR_OUTPUT_CLOSED', `${path}: the reader has gone`, { cause: error })
    if (code === 'ENOSPC' || code === 'EDQUOT' || code === 'EFBIG') {
      return new OutputError(
        'ERR_DISK_FULL',
        `${path}: no space left; free some, or choose another place with -o`,
        {
          cause: error,
        },
      )
    }
    const why = error instanceof Error ? error.message : String(error)
    return new OutputError('ERR_OUTPUT_UNWRITABLE', `${path}: cannot be written: ${why}`, { cause: error })
  }
}
