import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { type HeldCall, HeldCalls } from '../../src/sink/cabinet/held-calls.ts'
import type { Step } from '../../src/sink/cabinet/step.ts'

const MEBIBYTE = 1024 * 1024

/** A call with a number in its time, of some weight. */
function steps(bytes: number): readonly Step[] {
  return bytes === 0
    ? []
    : [{ type: 'command', command: { bytes: new Uint8Array(bytes), suspect: false }, workingDirectory: null }]
}

test('are taken by id, the first of its id first, in the order in which they were made', () => {
  const held = new HeldCalls()
  for (const [i, id] of ['a', 'b', 'a', 'c', 'a'].entries()) held.hold(id, [], String(i))
  expect(held.take('d')).toBeNull()
  expect(held.take('a')?.at).toBe('0')
  expect(held.take('a')?.at).toBe('2')
  held.hold('a', [], '5')
  expect(held.takeAll().map(({ at }) => at)).toEqual(['1', '3', '4', '5'])
  expect(held.takeAll()).toEqual([])
  expect(held.take('b')).toBeNull()
})

test('are given back, oldest first, when they weigh more than 8 MiB', () => {
  const held = new HeldCalls()
  for (let i = 0; i < 7; i++) expect(held.hold(`${i % 2}`, steps(MEBIBYTE), String(i))).toEqual([])
  expect(held.hold('2', steps(3 * MEBIBYTE), '7').map(({ at }) => at)).toEqual(['0', '1', '2'])
  expect(held.take('0')?.at).toBe('4')
  expect(held.takeAll().map(({ at }) => at)).toEqual(['3', '5', '6', '7'])
})

test('do as a plain list of calls does, whatever is held and taken', () => {
  const action = fc.record({
    take: fc.boolean(),
    id: fc.constantFrom('', 'a', 'b', 'c'),
    bytes: fc.constantFrom(0, 1000, 2 * MEBIBYTE),
  })
  fc.assert(
    fc.property(fc.array(action, { maxLength: 60 }), (actions) => {
      const [held, plain] = [new HeldCalls(), new PlainList()]
      const got: (string | null)[][] = []
      const wanted: (string | null)[][] = []
      for (const [i, { take, id, bytes }] of actions.entries()) {
        const at = String(i)
        got.push(take ? [held.take(id)?.at ?? null] : times(held.hold(id, steps(bytes), at)))
        wanted.push(take ? [plain.take(id)] : plain.hold(id, bytes, at))
      }
      expect([...got, times(held.takeAll())]).toEqual([...wanted, plain.calls.map(({ at }) => at)])
    }),
  )
})

function times(calls: readonly HeldCall[]): (string | null)[] {
  return calls.map(({ at }) => at)
}

class PlainList {
  readonly calls: { readonly id: string; readonly at: string; readonly bytes: number }[] = []

  hold(id: string, bytes: number, at: string): string[] {
    this.calls.push({ id, at, bytes: 256 + 2 * id.length + (bytes === 0 ? 0 : 64 + bytes) })
    const dropped: string[] = []
    while (this.calls.reduce((sum, call) => sum + call.bytes, 0) > 8 * MEBIBYTE)
      dropped.push(this.calls.shift()?.at ?? '')
    return dropped
  }

  take(id: string): string | null {
    const at = this.calls.findIndex((call) => call.id === id)
    return at < 0 ? null : (this.calls.splice(at, 1)[0]?.at ?? null)
  }
}
