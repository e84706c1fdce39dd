/**
 * A list that may be long, since its items need not all be there at once: they are made when they are asked for, anew each
 * time. Arrays are such lists too.
 */
export interface Listed<T> extends Iterable<T> {
  readonly length: number
  /** The item at a place, counted from 0; undefined where there is none. */
  at(place: number): T | undefined
}
