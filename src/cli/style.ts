import type { TableStyle } from '../report/columns.ts'

/** How tables look on standard output: as wide as the terminal and in colour, or plain and whole when it is none. */
export function terminalStyle(): TableStyle {
  const terminal = process.stdout.isTTY
  const colour = terminal && (process.env['NO_COLOR'] ?? '') === ''
  return { width: terminal ? (process.stdout.columns ?? 80) : null, colour }
}
