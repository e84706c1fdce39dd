import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { geminiChat } from '../../src/dialect/gemini-chat.ts'
import { describeWithShared, sharedDir } from '../shared.ts'
import { evidenceOf, runIdOf } from './detecting.ts'
import { binNames, translate } from './recording-sink.ts'

const header = { sessionId: 's1', projectHash: 'ff', startTime: '2026-11-02T09:00:00Z' }
const user = (id: string, content: unknown): object => ({ id, type: 'user', content })
const model = (id: string, more: object): object => ({ id, type: 'gemini', content: '', model: 'm', ...more })
const counts = (input: number, output: number, more: object = {}): object => ({
  tokens: { input, output, cached: 0, thoughts: 0, tool: 0, total: input + output, ...more },
})
const call = (status: string, more: object = {}): object => ({
  toolCalls: [{ id: 'c', name: 'read_file', args: { absolute_path: '/a' }, status, ...more }],
})
const answer = (response: object): object => ({ result: [{ functionResponse: { id: 'c', response } }] })

/** Each event in a word or two. */
function story(lines: readonly (string | object)[]): string[] {
  return translate(geminiChat, lines).events.map((event) => {
    const said =
      event['text'] ?? event['code'] ?? event['callId'] ?? event['requestId'] ?? event['vendorSubtype']
    return said === undefined || said === null ? event.event : `${event.event} ${String(said)}`
  })
}

const thought = (n: number): object => ({ subject: `S${n}`, description: `d${n}` })

describe('the last state of a message counts', () => {
  test('what was written is not written again, and usage once with its last counts', () => {
    const lines = [
      header,
      model('g1', call('executing')),
      model('g1', { ...call('executing'), ...counts(100, 5) }),
      model('g1', { ...call('success', answer({ output: 'x' })), ...counts(100, 9) }),
      model('g1', { ...call('success', answer({ output: 'x' })), ...counts(100, 9) }),
      model('g2', { content: 'done' }),
    ]
    expect(story(lines)).toEqual([
      'session.started',
      'tool.requested c',
      'tool.result c',
      'usage g1',
      'text done',
    ])
    const { entries, bins } = translate(geminiChat, lines)
    expect(entries).toMatchObject([{ key: 'gemini:s1:g1', tokens: { input: 100, output: 9 } }])
    expect(binNames(bins)[4]).toBe('Folded')
  })

  test('thoughts and words that come later are added', () => {
    expect(
      story([
        model('g1', { thoughts: [thought(1)] }),
        model('g1', { thoughts: [thought(1), thought(2)], content: 'hi' }),
      ]),
    ).toEqual(['session.started', 'thinking S1\n\nd1', 'thinking S2\n\nd2', 'text hi'])
  })

  test('counts that come after the usage was written are one request still', () => {
    const { entries, notices } = translate(geminiChat, [
      model('g1', counts(10, 1)),
      user('u1', 'go on'),
      model('g1', counts(10, 4)),
    ])
    expect(entries.map(({ key }) => key)).toEqual(['gemini:run:g1', 'gemini:run:g1'])
    expect(notices).toMatchObject([{ code: 'late-counts', line: 3 }])
  })

  test('messages without ids are messages of their own', () => {
    const { entries } = translate(geminiChat, [
      { type: 'gemini', ...counts(1, 1) },
      { type: 'gemini', ...counts(1, 1) },
    ])
    expect(entries.map(({ key }) => key)).toEqual([null, null])
  })
})

describe('the log is edited', () => {
  const said = [header, user('u1', 'read'), model('g1', { content: 'long', ...counts(9, 1) })]

  test('metadata is bookkeeping', () => {
    const { bins } = translate(geminiChat, [header, { $set: { summary: 's' } }])
    expect(binNames(bins)).toEqual(['Translated', 'Bookkeeping'])
  })

  test('a rewind takes nothing back that was billed', () => {
    const { events, entries } = translate(geminiChat, [...said, { $rewindTo: 'u1' }])
    expect(events.at(-1)).toMatchObject({ event: 'warning', code: 'rewind' })
    expect(entries).toHaveLength(1)
  })

  test('whole messages again are the same ids, not new usage', () => {
    const { entries, bins } = translate(geminiChat, [...said, { $set: { messages: said.slice(1) } }])
    expect(entries).toHaveLength(1)
    expect(binNames(bins)[3]).toBe('Folded')
  })

  test('a history that was compressed brings a warning, and its summary is nobody’s words', () => {
    const summary = [user('x1', [{ text: 'summary' }]), model('x2', { content: [{ text: 'Got it.' }] })]
    expect(story([...said, { $set: { messages: summary } }]).slice(4)).toEqual([
      'injection summary',
      'injection Got it.',
      'warning compaction',
    ])
  })

  test('a history that was masked says nothing new', () => {
    const masked = [user('u1', 'masked'), model('g1', { content: 'short', ...counts(9, 1) })]
    const { events, notices } = translate(geminiChat, [...said, { $set: { messages: masked } }])
    expect(events).toHaveLength(4)
    expect(notices.map(({ code }) => code)).toEqual(['message-edited', 'message-edited'])
  })
})

describe('counts', () => {
  test.each([
    {
      name: 'input holds the cache, output leaves the thoughts out',
      tokens: { input: 100, output: 9, cached: 40, thoughts: 7, tool: 0, total: 116 },
      want: [60, 40, 16, 7],
    },
    {
      name: 'a total that proves the cache to be apart',
      tokens: { input: 60, output: 9, cached: 40, thoughts: 7, tool: 0, total: 116 },
      want: [60, 40, 16, 7],
    },
    {
      name: 'a total that proves the thoughts to be inside',
      tokens: { input: 100, output: 16, cached: 0, thoughts: 7, total: 116 },
      want: [100, 0, 16, 7],
    },
    {
      name: 'results of tools of the API are input',
      tokens: { input: 100, output: 9, cached: 0, thoughts: 0, tool: 5, total: 114 },
      want: [105, 0, 9, 0],
    },
    {
      name: 'unless the total holds no room for them',
      tokens: { input: 100, output: 9, cached: 0, thoughts: 0, tool: 5, total: 109 },
      want: [100, 0, 9, 0],
    },
    {
      name: 'no cache count is an unknown cache',
      tokens: { input: 100, output: 9 },
      want: [100, null, 9, null],
    },
    {
      name: 'strings of digits',
      tokens: { input: '100', output: '9', cached: '40' },
      want: [60, 40, 9, null],
    },
    {
      name: 'more cached than there is',
      tokens: { input: 10, output: 1, cached: 30 },
      want: [0, 30, 1, null],
    },
  ])('$name', ({ tokens, want }) => {
    const { entries, events } = translate(geminiChat, [model('g', { tokens })])
    const billed = entries.map(({ tokens: t }) => [t.input, t.cacheRead, t.output, t.reasoning])
    expect(billed).toEqual([want])
    expect(entries[0]?.tokens).toMatchObject({ cacheWrite: 0, cacheWrite5m: 0, cacheWrite1h: 0 })
    const [inputTokens, cacheReadInputTokens, outputTokens, thinkingTokens] = want
    expect(events.at(-1)).toMatchObject({
      usage: { inputTokens, cacheReadInputTokens, outputTokens, thinkingTokens, cacheCreationInputTokens: 0 },
    })
  })

  test.each([{ tokens: null }, { tokens: undefined }, { tokens: 'many' }, { tokens: [] }, { tokens: {} }])(
    '$tokens is no usage',
    ({ tokens }) => {
      expect(translate(geminiChat, [model('g', { tokens })]).entries).toEqual([])
    },
  )
})

describe('calls', () => {
  test.each([
    { status: 'success', response: { output: 'x' }, isError: false, content: 'x' },
    { status: 'error', response: { error: 'no' }, isError: true, content: 'no' },
    { status: 'cancelled', response: { error: 'stopped' }, isError: true, content: 'stopped' },
    { status: 'success', response: { output: 'x', more: 1 }, isError: false, content: 'x' },
    {
      status: 'success',
      response: { list: [1] },
      isError: false,
      content: [{ functionResponse: { id: 'c', response: { list: [1] } } }],
    },
  ])('$status', ({ status, response, isError, content }) => {
    const { events } = translate(geminiChat, [
      model('g', call(status, { ...answer(response), resultDisplay: 'shown' })),
    ])
    expect(events.slice(1)).toMatchObject([
      { event: 'tool.requested', operations: ['file.read'], subjects: ['file:/a'], seam: 'none' },
      { event: 'tool.result', isError, content, toolUseResult: 'shown' },
    ])
  })

  test('one that is under way has no result', () => {
    expect(story([model('g', call('awaiting_approval'))])).toEqual(['session.started', 'tool.requested c'])
  })

  test('one that the user did not allow is a denial', () => {
    const refused = '[Operation Cancelled] Reason: User did not allow tool call'
    const { events } = translate(geminiChat, [model('g', call('cancelled', answer({ error: refused })))])
    expect(events.at(-1)).toMatchObject({ event: 'warning', code: 'approval-denied', deniedCall: 'c' })
  })

  test('its answer among the user’s parts is not told twice', () => {
    const part = { functionResponse: { id: 'c', name: 'read_file', response: { output: 'x' } } }
    expect(story([model('g', call('success', answer({ output: 'x' }))), user('u', [part])])).toHaveLength(3)
    expect(story([user('u', [part])])).toEqual(['session.started', 'tool.result c'])
  })
})

describe('who speaks', () => {
  test.each([
    { line: user('u', 'hello'), event: 'injection', origin: 'user' },
    { line: user('u', [{ text: 'hello' }]), event: 'injection', origin: 'user' },
    {
      line: { role: 'user', parts: [{ text: 'hello' }], ts: 1_695_000_000 },
      event: 'injection',
      origin: 'user',
    },
  ])('$line', ({ line, event, origin }) => {
    expect(translate(geminiChat, [line]).events[1]).toMatchObject({ event, origin, text: 'hello' })
  })

  test('a subagent is spoken to by a program', () => {
    const { events } = translate(geminiChat, [{ ...header, kind: 'subagent' }, user('u', 'look')])
    expect(events).toMatchObject([{ subagent: true }, { origin: 'synthetic' }])
  })

  test.each([
    { type: 'info', severity: 'warning' },
    { type: 'warning', severity: 'warning' },
    { type: 'error', severity: 'error' },
  ])('$type is the harness', ({ type, severity }) => {
    const { events } = translate(geminiChat, [{ id: 'i', type, content: [{ text: 'note' }] }])
    expect(events[1]).toMatchObject({ event: 'warning', code: type, message: 'note', severity })
  })

  test('an image is opaque, its neighbours are not', () => {
    const parts = [{ text: 'see' }, { inlineData: { mimeType: 'image/png', data: 'AA' } }]
    expect(story([user('u', parts)])).toEqual(['session.started', 'injection see', 'opaque inlineData'])
  })
})

test.each([
  '{"id":"x","type":"hologram"}',
  '{"$set":7}',
  '{"$rewindTo":null}',
  '[1]',
  '"gemini"',
  '{"type":null}',
])('%s is opaque', (line) => {
  expect(binNames(translate(geminiChat, [header, line]).bins)).toEqual(['Translated', 'Opaque'])
})

test('a whole chat on one line is read in one step', () => {
  const { events, entries } = translate(geminiChat, [
    { ...header, messages: [user('u', 'a'), model('g', counts(5, 1))] },
  ])
  expect(events.map(({ event }) => event)).toEqual(['session.started', 'injection', 'usage'])
  expect(entries).toHaveLength(1)
})

test('another session in the same log is another one, and the first stays known', () => {
  const { events, notices } = translate(geminiChat, [header, { ...header, sessionId: 's2' }, header])
  expect(events).toMatchObject([{ sessionId: 's1' }, { sessionId: 's2' }])
  expect(notices).toMatchObject([{ code: 'second-session', line: 2 }])
})

test('nothing says how a session ended', () => {
  expect(translate(geminiChat, [header]).ending).toEqual({
    reason: 'error',
    terminal: false,
    promised: false,
  })
})

describe('evidence', () => {
  test.each([
    { value: header, weight: 'proof' },
    { value: { ...header, messages: [] }, weight: 'proof' },
    { value: { id: 'g', type: 'gemini', content: '' }, weight: 'proof' },
    { value: { sessionId: 's', messages: [{ type: 'user', content: 'x' }] }, weight: 'weak' },
    { value: { history: [{ role: 'user', parts: [{ text: 'x' }] }] }, weight: 'weak' },
    { value: { $set: { lastUpdated: 't' } }, weight: 'weak' },
    { value: { $rewindTo: 'u' }, weight: 'weak' },
  ])('of $value is $weight', ({ value, weight }) => {
    expect(evidenceOf(geminiChat, value)?.weight).toBe(weight)
  })
  test.each([
    { sessionId: 's', type: 'user', uuid: 'u' },
    { type: 'user' },
    [],
    'x',
    { messages: [] },
    { sessionId: 's' },
  ])('%j says nothing', (value) => {
    expect(evidenceOf(geminiChat, value)).toBeNull()
  })
  test('the run is the session', () => {
    expect([runIdOf(geminiChat, header), runIdOf(geminiChat, user('u', 'x'))]).toEqual(['s1', null])
  })
})

test('whatever a record holds, it is read or opaque', () => {
  const fields =
    'id timestamp type content thoughts tokens toolCalls model $set $rewindTo sessionId messages'.split(' ')
  const types = fc.constantFrom('user', 'gemini', 'info', 'error', 'odd')
  const inner = fc.dictionary(
    fc.constantFrom('id', 'name', 'status', 'result', 'input', 'text'),
    fc.jsonValue({ maxDepth: 2 }),
  )
  const record = fc.tuple(
    types,
    fc.dictionary(
      fc.constantFrom(...fields),
      fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.array(inner, { maxLength: 3 })),
    ),
  )
  fc.assert(
    fc.property(fc.array(record, { maxLength: 10 }), (records) => {
      const { bins } = translate(
        geminiChat,
        records.map(([type, more]) => ({ type, ...more })),
      )
      if (bins.length !== records.length) throw new Error('a record without a bin')
    }),
    { numRuns: 150 },
  )
})

const readChat = (name: string): string[] => {
  const text = readFileSync(join(sharedDir, 'fixtures/vendors/gemini-session', name), 'utf8')
  return name.endsWith('.json') ? [JSON.stringify(JSON.parse(text))] : text.trim().split('\n')
}

describeWithShared('shared chats', () => {
  test.each([
    { name: 'session-2025-10-27-long.json', messages: 15, want: [57420, 45385, 6456, 4905], calls: 13 },
    { name: 'session-2025-10-29-write.json', messages: 2, want: [10312, 0, 326, 301], calls: 1 },
    { name: 'session-2025-10-29-tools.json', messages: 4, want: [17665, 4029, 563, 486], calls: 3 },
    { name: 'append-log-0.40.jsonl', messages: 2, want: [12422, 11502, 228, 0], calls: 1 },
  ])('$name', ({ name, messages, want, calls }) => {
    const { entries, events } = translate(geminiChat, readChat(name))
    const sum = (pick: (t: (typeof entries)[number]['tokens']) => number | null): number =>
      entries.reduce((total, { tokens }) => total + (pick(tokens) ?? 0), 0)
    expect(entries).toHaveLength(messages)
    expect([
      sum((t) => t.input),
      sum((t) => t.cacheRead),
      sum((t) => t.output),
      sum((t) => t.reasoning),
    ]).toEqual(want)
    const count = (event: string): number => events.filter((one) => one.event === event).length
    expect([count('tool.requested'), count('tool.result'), count('opaque')]).toEqual([calls, calls, 0])
  })
})
