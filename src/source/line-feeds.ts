/** The byte that ends lines. */
export const LINE_FEED = 0x0a

/** Line feeds in `bytes`; no more than `most` are counted. */
export function countFeeds(bytes: Uint8Array, most = Infinity): number {
  let count = 0
  for (let at = bytes.indexOf(LINE_FEED); at >= 0 && count < most; at = bytes.indexOf(LINE_FEED, at + 1))
    count++
  return count
}
