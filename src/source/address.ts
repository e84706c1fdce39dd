/** Tells inputs that are addresses from files. */
export const HTTP_ADDRESS = /^https?:\/\//i

/** Headers of the caller: credentials. They are sent to the address they were given for and appear nowhere else. */
export type HttpHeaders = readonly (readonly [name: string, value: string])[]

/** An address without its credentials and query, which may hold secrets. */
export function shownAddress(address: string): string {
  const url = new URL(address)
  return `${url.origin}${url.pathname}`
}
