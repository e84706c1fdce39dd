const PICO_DIGITS = 12

/** 10^-12 USD as decimal USD, exactly and without needless zeros: `0.001234`, `12`. */
export function decimalUsd(picoUsd: bigint): string {
  const sign = picoUsd < 0n ? '-' : ''
  const digits = (picoUsd < 0n ? -picoUsd : picoUsd).toString().padStart(PICO_DIGITS + 1, '0')
  const fraction = digits.slice(-PICO_DIGITS).replace(/0+$/, '')
  return `${sign}${digits.slice(0, -PICO_DIGITS)}${fraction === '' ? '' : `.${fraction}`}`
}

/** The nearest double in USD: parsing a decimal rounds once and correctly, dividing would round twice. */
export function usdNumber(picoUsd: bigint): number {
  return Number(decimalUsd(picoUsd))
}

/** USD for people, half up to `decimals` (at most 12) and with thousands separators: `1,234.50`. */
export function shortUsd(picoUsd: bigint, decimals: number): string {
  const unit = 10n ** BigInt(PICO_DIGITS - decimals)
  const digits = ((picoUsd + unit / 2n) / unit).toString().padStart(decimals + 1, '0')
  const whole = grouped(digits.slice(0, digits.length - decimals))
  return decimals === 0 ? whole : `${whole}.${digits.slice(-decimals)}`
}

/** A whole number with thousands separators, the same in every locale: `1,234,567`. */
export function groupedInteger(value: number): string {
  return grouped(BigInt(value).toString())
}

function grouped(digits: string): string {
  return digits.replaceAll(/\B(?=(?:\d{3})+$)/g, ',')
}
