/** Ctrl-C was pressed, or the process was asked to end. */
export class Interruption extends Error {
  override readonly name = 'Interruption'
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const

/**
 * Run `work` with a signal that an interrupt aborts, so that nothing half-written is left. A second interrupt ends the
 * process at once.
 *
 * @throws Interruption when it was interrupted
 */
export async function interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController()
  const stop = (): void => {
    unhear()
    controller.abort(new Interruption('interrupted; finished outputs stay, unfinished ones were removed'))
    // Waiting for more of it would keep the process.
    process.stdin.destroy()
  }
  const unhear = (): void => {
    for (const name of SIGNALS) process.off(name, stop)
  }
  for (const name of SIGNALS) process.on(name, stop)
  try {
    return await work(controller.signal)
  } finally {
    unhear()
  }
}
