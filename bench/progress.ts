/** What is going on, for people who wait; an empty text takes the last one away. */
export function say(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`)
}
