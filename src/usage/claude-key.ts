/**
 * `claude:<message>:<request>` without its request; null for another key. An advisor's number stays, its usage is not the
 * message's.
 */
export function claudeMessage(key: string): string | null {
  const match = /^claude:([^:]+)(?::.*?)?(:advisor:\d+)?$/.exec(key)
  return match === null ? null : `${match[1]}${match[2] ?? ''}`
}

/** A key of a message whose request id is not known: captures of older versions name only the message. */
export function isWithoutRequest(key: string): boolean {
  return key.startsWith('claude:') && (key.endsWith(':') || key.includes('::advisor:'))
}

/** The requests that totals of processes hold. Where one side does not name the request, the message tells. */
export class Coverage<By> {
  private readonly keys = new Map<string, By>()
  private readonly messages = new Map<string, By>()
  private readonly withoutRequest = new Map<string, By>()

  add(key: string, by: By): void {
    if (this.keys.has(key)) return
    this.keys.set(key, by)
    const message = claudeMessage(key)
    if (message === null) return
    this.messages.set(message, by)
    if (isWithoutRequest(key)) this.withoutRequest.set(message, by)
  }

  /** What covers the request; undefined when nothing does. */
  by(key: string): By | undefined {
    const exact = this.keys.get(key)
    if (exact !== undefined || this.keys.size === 0) return exact
    const message = claudeMessage(key)
    if (message === null) return undefined
    return (isWithoutRequest(key) ? this.messages : this.withoutRequest).get(message)
  }
}
