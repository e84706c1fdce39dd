import { LINE_FEED } from '../line-feeds.ts'

const CARRIAGE_RETURN = 0x0d
const TAB = 0x09
export const SPACE = 0x20

/**
 * End of the line that begins at `at`, and where the next begins: after LF, CRLF or CR. The next is -1 when more must be
 * read to know: a carriage return at the end may be half of a line end.
 *
 * @param ends remembers the next line feed from call to call, so that a stream without any is not searched again and again
 */
export function lineAt(
  bytes: Buffer,
  at: number,
  to: number,
  ended: boolean,
  ends: { feed: number },
): readonly [end: number, next: number] {
  if (ends.feed < at) {
    const feed = bytes.subarray(at, to).indexOf(LINE_FEED)
    ends.feed = feed < 0 ? to : at + feed
  }
  const feed = ends.feed
  const cr = bytes.subarray(at, feed).indexOf(CARRIAGE_RETURN)
  if (cr < 0) return feed < to ? [feed, feed + 1] : [to, ended ? to : -1]
  const end = at + cr
  if (end + 1 === feed && feed < to) return [end, feed + 1]
  if (end + 1 === to && !ended) return [end, -1]
  return [end, end + 1]
}

/** End of the line that begins at `at`, where lines end with line feeds only, its CR of a CRLF left out; -1 when it is not whole. */
export function feedLineAt(
  bytes: Buffer,
  at: number,
  to: number,
  ended: boolean,
): readonly [end: number, next: number] {
  const feed = bytes.subarray(at, to).indexOf(LINE_FEED)
  if (feed < 0 && !ended) return [to, -1]
  const next = feed < 0 ? to : at + feed + 1
  const end = feed < 0 ? to : at + feed
  return [end > at && bytes[end - 1] === CARRIAGE_RETURN ? end - 1 : end, next]
}

/** The first address from `start` on that holds no space or tab; `end` when there is none. */
export function skipBlanks(bytes: Uint8Array, start: number, end: number): number {
  let at = start
  while (at < end && (bytes[at] === SPACE || bytes[at] === TAB)) at++
  return at
}
