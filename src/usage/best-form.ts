/** One form in which a session is told: by what kind of transcript, by which ones, and how much of it they know. */
export interface Form {
  readonly name: string
  /** In the order of transcripts. */
  readonly members: readonly number[]
  /** Known tokens of the session in this form, each request once. */
  readonly tokens: number
  readonly cut: boolean
}

/**
 * The form that counts: what a harness wrote itself before what was made of it, unless that broke off and knows less; then the one
 * that knows the most tokens; then the one that its harness stores.
 *
 * @throws RangeError when there are none
 */
export function bestOf(forms: readonly Form[]): Form {
  const [best] = forms.toSorted((a, b) => Number(isMoreOf(b, a)) - Number(isMoreOf(a, b)) || compare(a, b))
  if (best === undefined) throw new RangeError('a family has at least one form')
  return best
}

/** A form that was made out of what a harness wrote; it knows no more than that. */
export function isDerived({ name }: Form): boolean {
  return DERIVED.has(name)
}

const DERIVED: ReadonlySet<string> = new Set(['metaharness', 'cabinet'])

/** A form made of one that broke off before it ended, and that knows more. */
function isMoreOf(a: Form, b: Form): boolean {
  return isDerived(a) && !isDerived(b) && (b.tokens === 0 || b.cut) && a.tokens > b.tokens
}

function compare(a: Form, b: Form): number {
  return Number(isDerived(a)) - Number(isDerived(b)) || b.tokens - a.tokens || rank(a) - rank(b)
}

/** What harnesses store, then what they print, then captures of it, then what is made of it. */
function rank({ name }: Form): number {
  if (DERIVED.has(name)) return name === 'metaharness' ? 3 : 4
  if (name === 'cabinet-raw') return 2
  return /-(?:stream|run|json)$/.test(name) ? 1 : 0
}
