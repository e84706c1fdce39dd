import * as fc from 'fast-check'

/** Ways to break a line, byte by byte. */
export type Damage = (line: Buffer, other: Buffer) => Buffer

/** A place in a line whose length is not known yet. */
const place = fc.double({ min: 0, max: 1, noNaN: true })

function at(line: Buffer, where: number): number {
  return Math.min(line.length - 1, Math.floor(where * line.length))
}

/** Bytes that mean something to a scanner. */
const telling = fc.oneof(
  fc.constantFrom(...Buffer.from('"\\{}[],:0e.-+ntfu \t\r\n\0\u0001\u001f')),
  fc.integer({ min: 0, max: 255 }),
)

const flip: fc.Arbitrary<Damage> = fc.tuple(place, telling).map(([where, byte]) => (line) => {
  const broken = Buffer.from(line)
  if (broken.length > 0) broken[at(line, where)] = byte
  return broken
})

const insert: fc.Arbitrary<Damage> = fc
  .tuple(place, fc.array(telling, { minLength: 1, maxLength: 3 }))
  .map(([where, bytes]) => (line) => {
    const from = Math.floor(where * line.length)
    return Buffer.concat([line.subarray(0, from), Buffer.from(bytes), line.subarray(from)])
  })

const remove: fc.Arbitrary<Damage> = fc.tuple(place, fc.nat({ max: 3 })).map(([where, count]) => (line) => {
  const from = at(line, where)
  return Buffer.concat([line.subarray(0, Math.max(0, from)), line.subarray(from + 1 + count)])
})

const truncate: fc.Arbitrary<Damage> = place.map(
  (where) => (line) => line.subarray(0, Math.floor(where * line.length)),
)

/** The beginning of this line and the end of another, as two writers of one file leave them. */
const graft: fc.Arbitrary<Damage> = fc.tuple(place, place).map(
  ([where, from]) =>
    (line, other) =>
      Buffer.concat([
        line.subarray(0, Math.floor(where * line.length)),
        other.subarray(Math.floor(from * other.length)),
      ]),
)

const join: fc.Arbitrary<Damage> = fc
  .constantFrom('', ' ', '\0', '\ufeff', '\0\0 ', ',')
  .map((between) => (line, other) => Buffer.concat([line, Buffer.from(between), other]))

const pad: fc.Arbitrary<Damage> = fc
  .tuple(
    fc.constantFrom('', '\0', '\0\0\0', '\ufeff', ' \0'),
    fc.constantFrom('', '\0', ' \0\0', '\r', '\ufeff'),
  )
  .map(
    ([before, behind]) =>
      (line) =>
        Buffer.concat([Buffer.from(before), line, Buffer.from(behind)]),
  )

const none: fc.Arbitrary<Damage> = fc.constant((line) => line)

export const damage: fc.Arbitrary<Damage> = fc.oneof(
  none,
  none,
  flip,
  insert,
  remove,
  truncate,
  graft,
  join,
  pad,
)
