import { SourceError } from '../source/source-error.ts'
import { OutputError } from './output-error.ts'

/** A worker ended in the middle of its task: out of memory, killed, or by a fault of ours. */
export class WorkerLostError extends Error {
  override readonly name = 'WorkerLostError'
}

/** An error as it can leave a worker: classes do not survive the way, a code in front of the message does. */
export function portable(error: unknown): unknown {
  const known = error instanceof OutputError || error instanceof SourceError
  return known ? new Error(`${error.code}: ${error.message}`) : error
}

/** The error that a worker meant. What is none of ours says that the worker was lost. */
export function restored(error: unknown): OutputError | SourceError | WorkerLostError {
  const message = error instanceof Error ? error.message : String(error)
  const known = OutputError.parse(message) ?? SourceError.parse(message)
  return known ?? new WorkerLostError(`the worker reading it was lost (${message})`, { cause: error })
}
