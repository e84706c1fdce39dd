/**
 * JSON text from fields in a fixed order; values are JSON already. Building text instead of an object keeps the order
 * of names that look like numbers, and makes `__proto__` a name like any other.
 */
export function objectText(fields: Iterable<readonly [name: string, json: string]>): string {
  const members = Array.from(fields, ([name, json]) => `${JSON.stringify(name)}:${json}`)
  return `{${members.join(',')}}`
}

/** Counts by name, sorted by name, so that merging in another order gives the same text. */
export function countsText(counts: ReadonlyMap<string, number>): string {
  return objectText(sortedEntries(counts).map(([name, n]) => [name, String(n)]))
}

/** Entries in the order of their names' UTF-16 units. */
export function sortedEntries<T>(map: ReadonlyMap<string, T>): [string, T][] {
  return [...map].toSorted(([a], [b]) => (a < b ? -1 : Number(a > b)))
}
