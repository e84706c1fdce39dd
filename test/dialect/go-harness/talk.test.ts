import { describe, expect, test } from 'vitest'
import { goHarness } from '../../../src/dialect/go-harness.ts'
import { binNames, translate } from '../recording-sink.ts'
import { brief, completed, events, OPEN, read, step, stepDone, story, text, thought, usage } from './runs.ts'

describe('what the model says', () => {
  test.each([
    {
      name: 'is joined by step, in the order in which it began',
      lines: [thought('a'), text('b'), thought('c'), text('d'), usage(1, 1)],
      made: ['thinking ac', 'text bd', 'usage'],
    },
    {
      name: 'is not doubled by the message that repeats it',
      lines: [text('a'), text('b'), usage(1, 1), ['assistant.message', { content: 'ab' }]],
      made: ['text ab', 'usage'],
    },
    {
      name: 'is written again when the message differs',
      lines: [text('a'), usage(1, 1), ['assistant.message', { content: 'ab' }]],
      made: ['text a', 'usage', 'text ab'],
    },
    {
      name: 'comes from the message alone when nothing was streamed',
      lines: [usage(1, 1), ['assistant.message', { content: 'x' }]],
      made: ['usage', 'text x'],
    },
    {
      name: 'is compared within its step only',
      lines: [text('x'), usage(1, 1), stepDone(1), step(2), ['assistant.message', { content: 'x' }]],
      made: ['text x', 'usage', 'turn.ended 1', 'turn.started 2', 'text x'],
    },
    {
      name: 'is the answer only when it was never heard',
      lines: [['assistant.message', { content: 'x' }], completed({ output: 'x' })],
      made: ['text x', 'turn.ended 1', 'session.ended'],
    },
    {
      name: 'is the answer, when a task ended with one of its own',
      lines: [text('on it'), completed({ output: '{"done":true}' })],
      made: ['text on it', 'text {"done":true}', 'turn.ended 1', 'session.ended'],
    },
    {
      name: 'is written when the run breaks off in its middle',
      lines: [text('a'), text('b')],
      made: ['text ab'],
    },
    {
      name: 'stays joined over a fallback to another provider',
      lines: [text('a'), ['prompt.warning', { code: 'provider_fallback', message: '' }], text('b')],
      made: ['warning provider_fallback', 'text ab'],
    },
    {
      name: 'has its thinking once',
      lines: [thought('t'), usage(1, 1), ['reasoning.complete', { text: 't', tokens: 1 }]],
      made: ['thinking t', 'usage'],
    },
    {
      name: 'in hand-written recordings stands in the turn',
      lines: [['llm.turn.completed', { content: 'x', tool_calls: [] }]],
      made: ['text x', 'usage'],
    },
  ] as const)('$name', ({ lines, made }) => {
    expect(story([...OPEN, ...lines]).slice(3)).toEqual(made)
  })

  test('names the lines it was joined from', () => {
    const said = read([...OPEN, text('a'), thought('t'), text('b'), usage(1, 1)]).events[3]
    expect(said).toMatchObject({
      event: 'text',
      line: 5,
      foldedLines: [5, 7],
      at: '2026-10-12T08:30:00.004Z',
    })
  })

  test('stays in deltas when they are wanted, and is then not repeated either', () => {
    const lines = [
      ...OPEN,
      text('a'),
      text('b'),
      usage(1, 1),
      ['assistant.message', { content: 'ab' }] as const,
    ]
    const { events: made, bins } = read(lines, { deltas: true })
    expect(made.slice(3).map(brief)).toEqual(['text a', 'text b', 'usage'])
    expect(binNames(bins).slice(4)).toEqual(['Translated', 'Translated', 'Translated', 'Folded'])
  })

  test('joins halves of a surrogate pair', () => {
    const lines = events([...OPEN, text('A'), text('B'), usage(1, 1)]).map((line) =>
      JSON.stringify(line).replace('"A"', '"\\ud83d"').replace('"B"', '"\\ude00"'),
    )
    expect(translate(goHarness, lines).events[3]).toMatchObject({ text: '😀' })
  })
})
