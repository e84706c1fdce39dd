import * as fc from 'fast-check'

/** JSON texts in every spelling the grammar allows, printed as nobody prints them. */

const space = fc.constantFrom('', '', '', '', ' ', '\t', '\r', '  \t')

const hex = fc.constantFrom(...'0123456789abcdefABCDEF')
const anyUnit = fc.tuple(hex, hex, hex, hex).map((digits) => `\\u${digits.join('')}`)

const piece = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom(
      'a',
      'type',
      'é',
      '😀',
      '\u2028',
      '{',
      '}',
      '[1]',
      ':',
      ',',
      '/',
      '\u007f',
      ' ',
    ),
  },
  { weight: 3, arbitrary: fc.constantFrom('\\"', '\\\\', '\\/', '\\b', '\\f', '\\n', '\\r', '\\t') },
  { weight: 1, arbitrary: anyUnit },
  {
    weight: 1,
    arbitrary: fc.constantFrom('\\ud83d\\ude00', '\\ud83d', '\\ude00', '\\u0000', '\\u0061', '\\\\ud83d'),
  },
  { weight: 1, arbitrary: fc.nat({ max: 80 }).map((length) => 'x'.repeat(length)) },
)

/** The inside of a string as it is spelled. */
export const spelledText: fc.Arbitrary<string> = fc
  .array(piece, { maxLength: 8 })
  .map((pieces) => pieces.join(''))

const spelledString: fc.Arbitrary<string> = spelledText.map((text) => `"${text}"`)

const digits = fc.oneof(
  fc.constantFrom('0', '1', '9', '42', '007', '000', '5000000000'),
  fc.nat().map(String),
  fc.nat({ max: 400 }).map((length) => '8'.repeat(length + 1)),
)
const whole = digits.map((text) => text.replace(/^0+(?=\d)/, ''))

const spelledNumber: fc.Arbitrary<string> = fc
  .tuple(
    fc.constantFrom('', '', '-'),
    whole,
    fc.option(digits, { freq: 3, nil: null }),
    fc.option(fc.tuple(fc.constantFrom('e', 'E'), fc.constantFrom('', '+', '-'), fc.nat({ max: 500 })), {
      freq: 3,
      nil: null,
    }),
  )
  .map(([sign, integer, fraction, power]) =>
    [sign, integer, fraction === null ? '' : `.${fraction}`, power === null ? '' : power.join('')].join(''),
  )

const scalar = fc.oneof(fc.constantFrom('true', 'false', 'null', '0', '""'), spelledString, spelledNumber)

const spaced = (inside: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.tuple(space, inside, space).map((parts) => parts.join(''))

function listOf(value: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const items = fc.array(spaced(value), { maxLength: 4 })
  return fc.tuple(items, space).map(([all, gap]) => `[${all.length === 0 ? gap : all.join(',')}]`)
}

function objectOf(value: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const name = fc.oneof(spelledString, fc.constantFrom('"a"', '"type"', '"__proto__"', '"\\u0061"', '""'))
  const field = fc.tuple(spaced(name), spaced(value)).map(([key, held]) => `${key}:${held}`)
  return fc
    .tuple(fc.array(field, { maxLength: 4 }), space)
    .map(([all, gap]) => `{${all.length === 0 ? gap : all.join(',')}}`)
}

/** Any value. */
export const spelledValue: fc.Arbitrary<string> = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    scalar,
    listOf(tie('value')),
    objectOf(tie('value')),
  ),
})).value

/** An object or array, as records are. */
export const spelledRecord: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: objectOf(spelledValue) },
  { weight: 1, arbitrary: listOf(spelledValue) },
)
