/** What `within` gives when it was too early. */
export const LATER: unique symbol = Symbol('later')

/** The outcome of `work`, or `LATER` when it is not there after so many milliseconds; the work goes on. */
export async function within<T>(work: Promise<T>, ms: number): Promise<T | typeof LATER> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<typeof LATER>((resolve) => {
    timer = setTimeout(resolve, ms, LATER)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
