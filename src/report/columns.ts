import { styleText } from 'node:util'

export interface Column {
  readonly title: string
  readonly align: 'left' | 'right'
  /** Columns with a higher number are left out first when the table is too wide; 0 always stays. */
  readonly dispensable: number
}

export interface TableStyle {
  /** Cells of the terminal in a line; null for output that is no terminal: nothing is shortened. */
  readonly width: number | null
  readonly colour: boolean
}

export interface TableText {
  /** Lines, each with its line feed. */
  readonly text: string
  /** Titles of columns that had no room. */
  readonly leftOut: readonly string[]
}

const GAP = '  '
/** A left-aligned column is not shortened below this, in terminal cells. */
const NARROWEST = 8

/**
 * Lay out a table: numbers right, texts left, a rule under the header and over the last `footers` rows.
 *
 * What does not fit a terminal loses its most dispensable columns, then long texts are cut with an ellipsis.
 */
export function columnsText(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  { width, colour }: TableStyle,
  footers = 0,
): TableText {
  const safe = rows.map((row) => row.map(printable))
  const natural = columns.map(({ title }, i) =>
    Math.max(displayWidth(title), ...safe.map((row) => displayWidth(row[i] ?? ''))),
  )
  const kept = keptColumns(columns, natural, width)
  const widths = fitted(columns, natural, kept, width)
  const line = (cells: readonly string[]): string =>
    kept
      .map((i) => padded(cells[i] ?? '', widths[i] ?? 0, columns[i]?.align ?? 'left'))
      .join(GAP)
      .trimEnd()
  const bold = (text: string): string => (colour ? styleText('bold', text, { validateStream: false }) : text)
  const rule = '─'.repeat(kept.reduce((sum, i) => sum + (widths[i] ?? 0), GAP.length * (kept.length - 1)))
  const lines = [bold(line(columns.map(({ title }) => title))), rule]
  for (const [i, row] of safe.entries()) {
    const isFooter = i >= safe.length - footers
    if (isFooter && i === safe.length - footers && i > 0) lines.push(rule)
    lines.push(isFooter ? bold(line(row)) : line(row))
  }
  const leftOut = columns.flatMap(({ title }, i) => (kept.includes(i) ? [] : [title]))
  return { text: lines.map((text) => `${text}\n`).join(''), leftOut }
}

/** A text that cannot drive a terminal: control characters and those that turn the writing direction become `�`. */
export function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cs}\u061C\u200E\u200F\u2028\u2029\u202A-\u202E\u2066-\u2069]/gu, '\uFFFD')
}

const WIDE =
  /[\u1100-\u115F\u2E80-\u303E\u3041-\u33FF\u3400-\u4DBF\u4E00-\u9FFF\uA000-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6\p{Emoji_Presentation}\u{20000}-\u{3FFFD}]/u
const WIDTHLESS = /[\p{Mn}\p{Me}\p{Cf}]/u

/** Cells a text takes in a terminal: two for East Asian wide characters and emoji, none for combining marks. */
export function displayWidth(text: string): number {
  if (/^[\x20-\x7E]*$/.test(text)) return text.length
  let width = 0
  for (const character of text) width += cellsOf(character)
  return width
}

function cellsOf(character: string): number {
  return WIDTHLESS.test(character) ? 0 : WIDE.test(character) ? 2 : 1
}

function keptColumns(columns: readonly Column[], natural: readonly number[], width: number | null): number[] {
  let kept = columns.map((_, i) => i)
  if (width === null) return kept
  const least = (i: number): number =>
    columns[i]?.align === 'left' ? Math.min(natural[i] ?? 0, NARROWEST) : (natural[i] ?? 0)
  for (;;) {
    const needed = kept.reduce((sum, i) => sum + least(i), GAP.length * (kept.length - 1))
    const worst = Math.max(...kept.map((i) => columns[i]?.dispensable ?? 0))
    if (needed <= width || worst === 0) return kept
    kept = kept.filter((i) => columns[i]?.dispensable !== worst)
  }
}

/** Take cells from the widest text column until the line fits. */
function fitted(
  columns: readonly Column[],
  natural: readonly number[],
  kept: readonly number[],
  width: number | null,
): number[] {
  const widths = [...natural]
  if (width === null) return widths
  const texts = kept.filter((i) => columns[i]?.align === 'left')
  let excess = kept.reduce((sum, i) => sum + (widths[i] ?? 0), GAP.length * (kept.length - 1)) - width
  for (; excess > 0; excess--) {
    let widest = -1
    for (const i of texts) if ((widths[i] ?? 0) > (widths[widest] ?? NARROWEST)) widest = i
    if (widest < 0) break
    widths[widest] = (widths[widest] ?? 0) - 1
  }
  return widths
}

function padded(text: string, width: number, align: 'left' | 'right'): string {
  const cut = displayWidth(text) > width ? shortened(text, width) : text
  const space = ' '.repeat(Math.max(0, width - displayWidth(cut)))
  return align === 'left' ? cut + space : space + cut
}

function shortened(text: string, width: number): string {
  let cells = 0
  let kept = ''
  for (const character of text) {
    cells += cellsOf(character)
    if (cells > width - 1) break
    kept += character
  }
  return `${kept}…`
}
