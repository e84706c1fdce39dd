/**
 * Methods that every Node has on its buffers and that its types leave out. They
 * skip the look-up of an encoding by name, which shows on short strings.
 *
 * All offsets are bytes from the start of the buffer, half-open. Slicing as UTF-8
 * puts U+FFFD for bytes that are not UTF-8. Writing returns the bytes written.
 */
interface Buffer {
  utf8Slice(start?: number, end?: number): string
  latin1Slice(start?: number, end?: number): string
  asciiSlice(start?: number, end?: number): string
  utf8Write(text: string, offset?: number, length?: number): number
  latin1Write(text: string, offset?: number, length?: number): number
}
