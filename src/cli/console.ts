import { writeSync } from 'node:fs'
import { writeAll } from '../pipeline/output.ts'
import { OutputError } from '../pipeline/output-error.ts'

/** What a command says to people (standard error) and to programs (standard output). */
export class Console {
  readonly quiet: boolean
  private progressWidth = 0
  private lastProgressMs = 0

  constructor(quiet: boolean) {
    this.quiet = quiet
  }

  /** Standard output: data. @throws OutputError when its reader has gone */
  data(content: string | Uint8Array): void {
    const bytes = typeof content === 'string' ? Buffer.from(content) : content
    OutputError.guard('standard output', () => writeAll(1, bytes))
  }

  /** Standard error: one line. */
  say(text: string): void {
    this.clearProgress()
    tell(`${text}\n`)
  }

  /** The one summary line of a command. */
  summary(text: string): void {
    if (!this.quiet) this.say(text)
  }

  /** A line that the next one replaces; shown on terminals only, a few times a second. */
  progress(text: () => string): void {
    if (this.quiet || !process.stderr.isTTY) return
    const now = performance.now()
    if (now - this.lastProgressMs < 100) return
    this.lastProgressMs = now
    const line = text().slice(0, (process.stderr.columns ?? 80) - 1)
    tell(`\r${line.padEnd(this.progressWidth)}`)
    this.progressWidth = line.length
  }

  private clearProgress(): void {
    if (this.progressWidth > 0) tell(`\r${' '.repeat(this.progressWidth)}\r`)
    this.progressWidth = 0
  }
}

function tell(text: string): void {
  try {
    writeSync(2, text)
  } catch {
    // Nobody listens; the exit code still tells.
  }
}

/** Text from outside made safe for a terminal. */
export { printable as plain } from '../report/columns.ts'
