/** What came of a text the user gave; `message` says what is wrong and where in it, and names no file. */
export type Checked<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly message: string }
