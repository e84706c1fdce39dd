/**
 * What stood around a record in its transcript and is not in its bytes: kept only where it would be lost. Records of plain
 * lines have none.
 */
export interface Frame {
  /** Name of the event, of one whose data names no type. */
  readonly event: string | null
  /** Id of the event, of one whose data names no type. */
  readonly id: string | null
  /** SHA-256 of the record as it was written, where the bytes in memory are others. */
  readonly digest: string | null
}
