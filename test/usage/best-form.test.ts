import { expect, test } from 'vitest'
import { bestOf, type Form } from '../../src/usage/best-form.ts'

const form = (name: string, tokens: number, cut = false): Form => ({ name, members: [0], tokens, cut })

test.each([
  {
    what: 'what a harness wrote before what was made of it, though that knows more',
    forms: [form('metaharness', 900), form('droid-session', 100)],
    best: 'droid-session',
  },
  {
    what: 'what was made of a form that broke off and knows less',
    forms: [form('droid-session', 100, true), form('metaharness', 900)],
    best: 'metaharness',
  },
  {
    what: 'a form that broke off before what was made of it and knows no more',
    forms: [form('cabinet', 100), form('droid-session', 100, true)],
    best: 'droid-session',
  },
  {
    what: 'what was made of a form that knows nothing',
    forms: [form('cursor-transcript', 0), form('cabinet', 5)],
    best: 'cabinet',
  },
  {
    what: 'of two that a harness wrote, the one that knows more',
    forms: [form('pi-session', 100), form('pi-json', 101)],
    best: 'pi-json',
  },
  {
    what: 'of two that know the same, the one that is stored',
    forms: [form('cabinet-raw', 100), form('pi-json', 100), form('pi-session', 100)],
    best: 'pi-session',
  },
  {
    what: 'of two that know the same, the one that is printed before a capture of it',
    forms: [form('cabinet-raw', 100), form('opencode-run', 100)],
    best: 'opencode-run',
  },
  {
    what: 'of two that were made, our own',
    forms: [form('cabinet', 100), form('metaharness', 100)],
    best: 'metaharness',
  },
])('$what counts, in any order', ({ forms, best }) => {
  expect(bestOf(forms).name).toBe(best)
  expect(bestOf(forms.toReversed()).name).toBe(best)
})

test('of no forms there is none', () => {
  expect(() => bestOf([])).toThrow(RangeError)
})
