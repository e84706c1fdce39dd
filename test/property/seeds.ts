import * as fc from 'fast-check'

/** Seeds that every run uses, so that a failure stays one; and some that no run used before. */
const FIXED = [20_261_130, 1_024, 77]
const FRESH = 2

/** Check a property with each seed; `runs` cases in all. A failure names its seed. */
export function holds<T>(property: fc.IProperty<T>, runs: number): void {
  const fresh = Array.from({ length: FRESH }, () => Math.floor(Math.random() * 2 ** 31))
  const seeds = [...FIXED, ...fresh]
  for (const seed of seeds) fc.assert(property, { seed, numRuns: Math.ceil(runs / seeds.length) })
}

/** The same for what has to be waited for. */
export async function holdsAsync<T>(property: fc.IAsyncProperty<T>, runs: number): Promise<void> {
  const fresh = Array.from({ length: FRESH }, () => Math.floor(Math.random() * 2 ** 31))
  const seeds = [...FIXED, ...fresh]
  for (const seed of seeds) await fc.assert(property, { seed, numRuns: Math.ceil(runs / seeds.length) })
}
