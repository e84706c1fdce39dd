import { hasMessage, IDENTITY_WORDS, isWithoutRequest } from './identity.ts'
import { IdentityMap } from './identity-map.ts'

/** The requests that totals of processes hold. Where one side does not name the request, the message tells. */
export class Coverage {
  private readonly keys = new IdentityMap()
  private readonly messages = new IdentityMap(2)
  private readonly withoutRequest = new IdentityMap(2)

  /** Let total number `by` cover the request whose identity is `words[at…]`, unless another one does. */
  add(words: Uint32Array, at: number, by: number): void {
    if (!this.keys.add(words, at, by) || !hasMessage(words, at)) return
    this.messages.add(words, at, by)
    if (isWithoutRequest(words, at)) this.withoutRequest.add(words, at, by)
  }

  /** The number of the total that covers the request; null when none does. */
  by(words: Uint32Array, at: number): number | null {
    if (this.keys.size === 0) return null
    const exact = this.keys.get(words, at)
    if (exact !== null || !hasMessage(words, at)) return exact
    return (isWithoutRequest(words, at) ? this.messages : this.withoutRequest).get(words, at)
  }

  /** The number of the total that covers the first of these requests that one does. */
  byAny(keys: Uint32Array): number | null {
    for (let at = 0; at < keys.length; at += IDENTITY_WORDS) {
      const by = this.by(keys, at)
      if (by !== null) return by
    }
    return null
  }
}
