const CODES = [
  'ERR_NOT_FOUND',
  'ERR_INPUT_UNREADABLE',
  'ERR_UTF16',
  'ERR_CODEC_UNSUPPORTED',
  'ERR_PEER_MISSING',
] as const
export type SourceErrorCode = (typeof CODES)[number]

/** An input that cannot be read. The message names it and says what would make it right. */
export class SourceError extends Error {
  override readonly name = 'SourceError'
  readonly code: SourceErrorCode

  constructor(code: SourceErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }

  /** The error whose message this is, after a worker has stripped it of its class; null when it is none. */
  static parse(message: string): SourceError | null {
    for (const code of CODES) {
      if (message.startsWith(`${code}: `)) return new SourceError(code, message.slice(code.length + 2))
    }
    return null
  }

  /** The error of a file system call, in words. */
  static from(path: string, error: unknown): SourceError {
    const code = error instanceof Error && 'code' in error ? error.code : null
    if (code === 'ENOENT') {
      return new SourceError(
        'ERR_NOT_FOUND',
        `${path}: no such file; it may have been moved while it was read`,
      )
    }
    const why =
      code === 'EACCES' || code === 'EPERM'
        ? 'permission denied; give your user the right to read it'
        : code === 'EISDIR'
          ? 'is a folder, not a file'
          : error instanceof Error
            ? error.message
            : String(error)
    return new SourceError('ERR_INPUT_UNREADABLE', `${path}: ${why}`, { cause: error })
  }
}

/** Leading bytes that show that a source is no UTF-8 text of lines; null when nothing does. */
export function refuseByMagic(path: string, head: Uint8Array): SourceError | null {
  const is = (...magic: number[]): boolean => magic.every((byte, i) => head[i] === byte)
  if (is(0xff, 0xfe) || is(0xfe, 0xff) || is(0x7b, 0x00) || is(0x00, 0x7b)) {
    return new SourceError(
      'ERR_UTF16',
      `${path}: is UTF-16; convert it to UTF-8 first (iconv -f UTF-16 -t UTF-8)`,
    )
  }
  // "SQLite f": the rest of its magic says nothing more.
  if (is(0x53, 0x51, 0x4c, 0x69, 0x74, 0x65, 0x20, 0x66)) {
    return new SourceError(
      'ERR_CODEC_UNSUPPORTED',
      `${path}: is a SQLite database; pass it as a plain file of its own`,
    )
  }
  const codec = is(0x1f, 0x8b)
    ? 'gzip'
    : is(0x28, 0xb5, 0x2f, 0xfd)
      ? 'zstd'
      : is(0x04, 0x22, 0x4d, 0x18)
        ? 'lz4'
        : is(0x50, 0x4b, 0x03, 0x04)
          ? 'zip'
          : null
  if (codec === null) return null
  return new SourceError(
    'ERR_CODEC_UNSUPPORTED',
    `${path}: is ${codec} data; decompress it and pass the plain file`,
  )
}
