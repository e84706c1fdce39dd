import type { Frame } from '../../kernel/frame.ts'

/** The input as it stands in memory, of which some is still framed. */
export interface FramedInput {
  readonly bytes: Buffer
  /** Address of the first byte that is still framed, the first of a line. */
  readonly from: number
  /** Address after the last byte that was read. */
  readonly to: number
  /** There is nothing more to be read. */
  readonly ended: boolean
  /** Bytes a line may have; longer ones stay framed, since nobody reads them. */
  readonly limit: number
  /** What stands here is the beginning of one record over the limit: its lines are records of their own. */
  readonly isOver?: boolean
}

/** Where a framing puts what it took away. */
export interface FramingNotes {
  /** Lines that were framing and nothing else; they look blank now. */
  lines: number
  /** Comments of an event stream, keepalives among them. */
  comments: number
  /** Events without data. */
  empty: number
  /** What the record at an address would lose otherwise. */
  keep(address: number, frame: Frame): void
}
