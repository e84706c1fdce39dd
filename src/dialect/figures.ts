import type { Sink } from '../event/sink.ts'
import { Kind } from '../kernel/layout.ts'
import type { Node, RecordView } from '../kernel/record.ts'

/**
 * A count of tokens or requests (design §5.3): non-negative integers and integral floats as they are, strings of
 * digits with a notice. Absent and null are unknown; anything else is unknown with a notice.
 */
export function count(record: RecordView, node: Node, sink: Sink): number | null {
  const kind = record.kind(node)
  if (kind === Kind.None || kind === Kind.Null) return null
  if (kind === Kind.Number) {
    const value = record.integer(node)
    if (value !== null && value >= 0) return value
  }
  if (kind === Kind.String) {
    const spelled = record.text(node) ?? ''
    const value = Number(spelled)
    if (/^\d{1,16}$/.test(spelled) && Number.isSafeInteger(value)) {
      sink.notice('numeric-string', record.line, 'a count written as a string was read as a number')
      return value
    }
  }
  sink.notice('bad-count', record.line, 'a count that is no non-negative integer was taken as unknown')
  return null
}

/** USD as written in the record, in 10^-12 USD; null when absent or no plain decimal number. Digits past the twelfth are rounded half up. */
export function picoUsd(record: RecordView, node: Node): bigint | null {
  return record.kind(node) === Kind.Number ? parsePicoUsd(record.raw(node)) : null
}

/** The characters of a JSON number of USD as 10^-12 USD, exactly; null when it is negative, huge or no number. */
export function parsePicoUsd(spelled: string): bigint | null {
  const match = /^(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,3}))?$/.exec(spelled)
  if (match === null) return null
  const fraction = match[2] ?? ''
  const digits = BigInt((match[1] ?? '0') + fraction)
  const shift = 12 + Number(match[3] ?? '0') - fraction.length
  if (shift > 60) return null
  if (shift >= 0) return digits * 10n ** BigInt(shift)
  const divisor = 10n ** BigInt(-shift)
  return (digits * 2n + divisor) / (divisor * 2n)
}

/** 10^-12 USD of a price as a JSON number of USD, exactly: what `parsePicoUsd` reads. */
export function spelledUsd(pico: bigint): string {
  const digits = pico.toString().padStart(13, '0')
  const fraction = digits.slice(-12).replace(/0+$/, '')
  return `${digits.slice(0, -12)}${fraction === '' ? '' : `.${fraction}`}`
}

/** Sum of two counts of which either may be unknown; unknown only when both are. */
export function plus(a: number | null, b: number | null): number | null {
  if (a === null) return b
  return b === null ? a : a + b
}
