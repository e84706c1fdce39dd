import { faultKinds, type FaultKind } from './facts.ts'
import type { Run, RunContext } from './run.ts'

/** One damaged line for about so many steps of a generator. */
const stepsPerFault = 25

/** Now and then, a damaged line between the good ones. */
export function maybeFault(ctx: RunContext, run: Run): void {
  if (ctx.random.chance(1 / stepsPerFault)) putFault(ctx, run, ctx.random.pick(faultKinds))
}

/** End the file in the middle of a record, as a crash does. */
export function cutTail(ctx: RunContext, run: Run): void {
  const { facts, out } = ctx
  out.put(cutShort(ctx, run.carrier('the last words of', false)))
  out.cutTail()
  facts.records += 1
  facts.damagedLines += 1
  facts.faults.cut += 1
}

function putFault(ctx: RunContext, run: Run, kind: FaultKind): void {
  const { facts, out, random } = ctx
  facts.faults[kind] += 1
  if (kind === 'blank' || kind === 'nul-line') {
    out.put(kind === 'blank' ? random.pick(['', ' ', '\t  ', '\r']) : '\0'.repeat(random.between(1, 5_000)))
    out.end()
    facts.blankLines += 1
    return
  }
  out.put(faultyRecord(ctx, run, kind))
  out.end()
  facts.records += 1
  if (kind === 'unknown-type') facts.unknownRecords += 1
  else if (kind === 'invalid-utf8' || kind === 'lone-surrogate') facts.repairableRecords += 1
  else facts.damagedLines += 1
}

function faultyRecord(ctx: RunContext, run: Run, kind: FaultKind): string {
  const { random } = ctx
  switch (kind) {
    case 'cut':
      return cutShort(ctx, run.carrier(random.hex(64), false))
    case 'joined':
      return run.carrier('one', false) + run.carrier('two', false)
    case 'nul-run':
      return '\0'.repeat(random.between(1, 3_000)) + run.carrier('after a hole', false)
    case 'invalid-utf8':
      return run.carrier(
        `bad ${random.pick(['\xff\xfe', '\xc3(', '\xe2\x82', '\xf0\x9f\x98', '\xc0\xaf', '\xed\xa0\x80', '\x80'])} bytes`,
        true,
      )
    case 'lone-surrogate':
      return run.carrier(
        `half ${random.pick(['\\ud83d', '\\ude00', '\\uD83D x', '\\udc00\\ud800'])} a face`,
        true,
      )
    default:
      return run.unknown()
  }
}

/** Every record begins with a brace, so any proper part of its beginning is not JSON. */
function cutShort(ctx: RunContext, record: string): string {
  return record.slice(0, ctx.random.between(1, record.length - 1))
}
