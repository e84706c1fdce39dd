/** Exit codes (design §6). */
export const Exit = { Ok: 0, Failed: 1, Usage: 2, Interrupted: 130 } as const

/** The caller asked for something that cannot be: exit code 2. The message says what would be right. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}
