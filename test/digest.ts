import { createHash } from 'node:crypto'

/** The digest that ours must equal: SHA-256 by Node itself, in lower-case hex. */
export function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex')
}
