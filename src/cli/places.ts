import { placesHere } from '../source/places.ts'
import type { Console } from './console.ts'
import { plain } from './console.ts'
import { UsageError } from './exit.ts'
import { PATHS } from './reading.ts'

/** What the PATHs of a command are that may do without, for its help. */
export const PATHS_OR_PLACES = `${PATHS} (default: where harnesses keep theirs)`

/**
 * The PATHs to read: those given, else the places where harnesses keep their transcripts, which is said.
 *
 * @throws UsageError when none were given and no harness has left anything
 */
export function pathsOrPlaces(paths: readonly string[], console: Console): readonly string[] {
  if (paths.length > 0) return paths
  const places = placesHere()
  if (places.length === 0) {
    throw new UsageError('no PATH was given, and none of the usual places of a harness is there')
  }
  const names = places.map(({ harness, path }) => `${plain(path)} (${harness})`)
  console.summary(`millrace: no PATH given, reading ${names.join(', ')}`)
  return places.map(({ path }) => path)
}
