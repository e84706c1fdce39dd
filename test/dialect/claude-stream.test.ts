import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { claudeStream } from '../../src/dialect/claude-stream.ts'
import { describeWithShared, sharedDir } from '../shared.ts'
import { evidenceOf, runIdOf } from './detecting.ts'
import { binNames, type Recorded, translate } from './recording-sink.ts'

const of = { session_id: 's1', parent_tool_use_id: null }
const init = (more: object = {}): object => ({
  type: 'system',
  subtype: 'init',
  session_id: 's1',
  claude_code_version: '2.1.0',
  model: 'opus',
  permissionMode: 'default',
  apiKeySource: 'none',
  output_style: 'plain',
  cwd: '/w',
  tools: ['Bash', 'Read', 7],
  slash_commands: ['help'],
  skills: [],
  agents: [],
  plugins: [{ name: 'p', path: '/p', version: '1' }],
  mcp_servers: [{ name: 'm', status: 'connected' }],
  ...more,
})
const line = (id: string, output: number, more: object = {}, message: object = {}): object => ({
  type: 'assistant',
  ...of,
  request_id: `r-${id}`,
  message: {
    id,
    model: 'opus',
    content: [{ type: 'text', text: id }],
    stop_reason: null,
    usage: { input_tokens: 1, output_tokens: output },
    ...message,
  },
  ...more,
})
const user = (content: unknown, more: object = {}): object => ({
  type: 'user',
  ...of,
  message: { role: 'user', content },
  ...more,
})
const model = (input: number, output: number, costUSD = 0): object => ({
  inputTokens: input,
  outputTokens: output,
  cacheReadInputTokens: 0,
  cacheCreationInputTokens: 0,
  webSearchRequests: 0,
  costUSD,
})
const result = (more: object = {}): object => ({
  type: 'result',
  subtype: 'success',
  session_id: 's1',
  is_error: false,
  ...more,
})
const system = (subtype: string, more: object = {}): object => ({ type: 'system', subtype, ...of, ...more })

const raw = (event: object): object => ({ type: 'stream_event', ...of, event })

/** Each event in a few words, the opening left out. */
function story(lines: readonly (string | object)[]): string[] {
  return translate(claudeStream, lines).events.flatMap((event) => {
    if (event.event === 'session.started') return []
    const said =
      event['text'] ?? event['code'] ?? event['callId'] ?? event['requestId'] ?? event['vendorType']
    return said === undefined || said === null ? event.event : `${event.event} ${String(said)}`
  })
}

/** Totals as process, figures by model, and price. */
const totalsOf = (lines: readonly object[]): unknown =>
  translate(claudeStream, lines).totals.map(({ process, models, reportedPicoUsd }) => [
    process,
    models?.map(({ model: name, tokens }) => [name, tokens.input, tokens.output]) ?? null,
    reportedPicoUsd,
  ])
const bins = (lines: readonly (string | object)[]): string[] => binNames(translate(claudeStream, lines).bins)
const named = (lines: readonly (string | object)[], event: string): Recorded[] =>
  translate(claudeStream, lines).events.filter((other) => other.event === event)

describe('the opening', () => {
  test('says what the first record says', () => {
    expect(named([init()], 'session.started')).toMatchObject([
      {
        at: null,
        adapter: 'claude',
        adapterClass: 'harness',
        harnessVersion: '2.1.0',
        sessionId: 's1',
        model: 'opus',
        permissionMode: 'default',
        credentialSource: 'none',
        outputStyle: 'plain',
        cwd: '/w',
        offeredTools: ['Bash', 'Read'],
        availableOperations: ['file.read', 'shell'],
        withheld: null,
        slashCommands: ['help'],
        skills: [],
        agents: [],
        plugins: [{ name: 'p', source: null, version: '1' }],
        mcpServers: [{ name: 'm', status: 'connected' }],
        subagent: false,
      },
    ])
  })

  test('lists that are missing are unknown', () => {
    const bare = init({ tools: undefined, skills: undefined, plugins: null, mcp_servers: undefined })
    expect(named([bare], 'session.started')).toMatchObject([
      { offeredTools: null, availableOperations: null, skills: null, plugins: null, mcpServers: null },
    ])
  })

  test.each([
    { name: 'another turn of the process', lines: [init(), init()], sessions: ['s1'], notices: [] },
    {
      name: 'another session',
      lines: [init(), init({ session_id: 's2' })],
      sessions: ['s1', 's2'],
      notices: ['second-session'],
    },
    { name: 'a stream cut at its beginning', lines: [line('m1', 1)], sessions: ['s1'], notices: [] },
    {
      name: 'the opening of a stream that had begun',
      lines: [user('a'), init()],
      sessions: ['s1', 's1'],
      notices: [],
    },
    {
      name: 'a stream without ids',
      lines: [{ type: 'user', message: { content: 'a' } }],
      sessions: [null],
      notices: [],
    },
    {
      name: 'a session named late',
      lines: [{ type: 'user', message: { content: 'a' } }, line('m1', 1)],
      sessions: [null],
      notices: ['late-session'],
    },
    {
      name: 'records before it that give nothing',
      lines: [system('hook_started'), { type: 'newer', session_id: 's1' }, init()],
      sessions: ['s1'],
      notices: [],
    },
  ])('$name', ({ lines, sessions, notices }) => {
    const { events, notices: given } = translate(claudeStream, lines)
    const found = events.flatMap(({ event, sessionId }) => (event === 'session.started' ? [sessionId] : []))
    expect(found).toEqual(sessions)
    expect(given.map(({ code }) => code)).toEqual(notices)
  })
})

describe('the talk', () => {
  test('usage of a message is written when another begins, at the result or when it is final', () => {
    expect(
      story([
        init(),
        line('m1', 1),
        user([{ type: 'tool_result', tool_use_id: 'c', content: 'x' }]),
        line('m1', 2),
        line('m2', 3, {}, { stop_reason: 'end_turn' }),
        line('m3', 4),
        result(),
      ]),
    ).toEqual([
      'text m1',
      'tool.result c',
      'text m1',
      'usage r-m1',
      'text m2',
      'usage r-m2',
      'text m3',
      'usage r-m3',
      'session.ended',
    ])
  })

  test('subagents are threads of their own', () => {
    const inside = { parent_tool_use_id: 'c1' }
    const { entries, events } = translate(claudeStream, [
      init(),
      line('m1', 1),
      user('do this', inside),
      line('m2', 5, inside),
      line('m1', 9),
    ])
    expect(entries.map(({ key, tokens, sidechain }) => [key, tokens.output, sidechain])).toEqual([
      ['claude:m1:r-m1', 9, false],
      ['claude:m2:r-m2', 5, true],
    ])
    expect(events.find(({ event }) => event === 'injection')).toMatchObject({ origin: 'synthetic' })
  })

  test('the final count of a raw stop event takes the place of the count on the lines', () => {
    const lines = [
      init(),
      raw({ type: 'message_start', message: { id: 'm1', usage: { output_tokens: 1 } } }),
      line('m1', 2),
      raw({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 77 } }),
      raw({ type: 'message_stop' }),
    ]
    const { entries } = translate(claudeStream, lines)
    expect(entries).toMatchObject([{ tokens: { input: 1, output: 77 }, final: true }])
    expect(named(lines, 'usage')).toMatchObject([{ line: 3, foldedLines: [4], usage: { outputTokens: 77 } }])
    expect(bins(lines)).toEqual(['Translated', 'Bookkeeping', 'Translated', 'Folded', 'Bookkeeping'])
  })

  test.each([
    { record: user('x'), origin: 'user' },
    { record: user('x', { isSynthetic: true }), origin: 'synthetic' },
    { record: user('x', { isReplay: true }), origin: 'user' },
  ])('$record', ({ record, origin }) => {
    expect(named([record], 'injection')).toMatchObject([{ text: 'x', origin }])
  })

  test('the structured result stands beside the message', () => {
    const lines = [
      user([{ type: 'tool_result', tool_use_id: 'c', content: 'x' }], { tool_use_result: { exit_code: 0 } }),
    ]
    expect(named(lines, 'tool.result')).toMatchObject([{ toolUseResult: { exit_code: 0 }, exitCode: null }])
  })

  test('an error of the API is text of nobody and a warning', () => {
    const failed = line('x', 0, { error: 'unknown' }, { model: '<synthetic>' })
    expect(story([failed])).toEqual(['warning api-error', 'text x'])
    expect(translate(claudeStream, [failed]).entries).toEqual([])
  })
})

describe('the end', () => {
  test('carries what the result says', () => {
    const full = result({
      timestamp: 't9',
      stop_reason: 'end_turn',
      terminal_reason: 'completed',
      api_error_status: 429,
      num_turns: 2,
      duration_ms: 10,
      duration_api_ms: 9,
      ttft_ms: 3,
      time_to_request_ms: 1,
      total_cost_usd: 0.1,
      permission_denials: [{ tool_name: 'Write', tool_use_id: 'c1', tool_input: { a: 1 } }, 'odd'],
      subagent_stats: { spawned: 2 },
      usage: {
        input_tokens: 4,
        output_tokens: 5,
        iterations: [],
        output_tokens_details: { thinking_tokens: 2 },
      },
      modelUsage: { opus: { ...model(4, 5, 0.1), thinkingTokens: 2 } },
    })
    expect(named([init(), full], 'session.ended')).toMatchObject([
      {
        at: 't9',
        finalAnswer: null,
        observedModels: null,
        isError: false,
        subtype: 'success',
        stopReason: 'end_turn',
        terminalReason: 'completed',
        apiErrorStatus: '429',
        numTurns: 2,
        durationMs: 10,
        durationApiMs: 9,
        ttftMs: 3,
        timeToRequestMs: 1,
        totalCostUsd: '0.1',
        permissionDenials: [{ toolName: 'Write', toolUseId: 'c1', toolInput: { a: 1 } }],
        subagentsSpawned: 2,
        usage: { inputTokens: 4, outputTokens: 5, iterations: 0, thinkingTokens: 2 },
        modelUsage: [{ model: 'opus', usage: { inputTokens: 4, thinkingTokens: 2, costUsd: '0.1' } }],
        census: null,
      },
    ])
  })

  test('what is missing is null', () => {
    expect(named([result({ is_error: undefined })], 'session.ended')).toMatchObject([
      {
        isError: null,
        permissionDenials: null,
        totalCostUsd: null,
        usage: null,
        modelUsage: null,
        numTurns: null,
        apiErrorStatus: null,
      },
    ])
  })

  test.each([
    { fields: {}, reason: 'completed' },
    { fields: { is_error: true }, reason: 'error' },
    { fields: { is_error: true, subtype: 'error_during_execution' }, reason: 'error' },
    { fields: { is_error: true, subtype: 'error_max_turns' }, reason: 'budget' },
    { fields: { subtype: 'error_max_budget_usd' }, reason: 'budget' },
    { fields: { subtype: undefined }, reason: 'completed' },
    { fields: { is_error: undefined }, reason: 'completed' },
    { fields: { is_error: undefined, subtype: undefined }, reason: 'error' },
  ])('$fields ends as $reason', ({ fields, reason }) => {
    expect(translate(claudeStream, [init(), result(fields)]).ending).toEqual({
      reason,
      terminal: true,
      promised: true,
    })
  })

  test('of several results the last decides, without any the stream is cut', () => {
    const lines = [init(), result(), init(), result({ is_error: true })]
    expect(translate(claudeStream, lines).ending.reason).toBe('error')
    expect(translate(claudeStream, [init()]).ending).toEqual({
      reason: 'error',
      terminal: false,
      promised: true,
    })
  })

  const phrase = 'Please run /login'
  test.each([
    { name: 'a failed result', record: result({ is_error: true, result: phrase }), told: true },
    { name: 'an error', record: result({ error: { message: phrase } }), told: true },
    { name: 'a list of errors', record: result({ errors: ['a', phrase] }), told: true },
    { name: 'the answer of a good run', record: result({ result: phrase }), told: false },
    { name: 'the model', record: line('m', 1, {}, { content: phrase }), told: false },
    { name: 'a tool', record: user([{ type: 'tool_result', content: phrase }]), told: false },
    {
      name: 'a message of the harness',
      record: line('m', 1, {}, { content: phrase, model: '<synthetic>' }),
      told: true,
    },
    { name: 'the login itself', record: { type: 'auth_status', error: phrase }, told: true },
  ])('an expired login told by $name', ({ record, told }) => {
    const expired = named([init(), record], 'auth.expired')
    expect(expired).toMatchObject(told ? [{ credentialSource: 'none', detail: phrase }] : [])
    expect(bins([init(), record])).toEqual(['Translated', 'Translated'])
  })
})

describe('the totals of a process', () => {
  const used = (input: number, output: number, cost: number): object =>
    result({ total_cost_usd: cost, modelUsage: { opus: model(input, output, cost) } })

  test('stand for its messages, exactly as they are spelled', () => {
    const { entries, totals } = translate(claudeStream, [
      init(),
      line('m1', 1),
      result({
        total_cost_usd: 0.012524799999999999,
        modelUsage: { opus: { ...model(9, 8, 0.0125), webSearchRequests: 2, cacheCreationInputTokens: 6 } },
      }),
    ])
    expect(entries).toMatchObject([{ process: 's1#1', session: 's1' }])
    expect(totals).toMatchObject([
      {
        process: 's1#1',
        session: 's1',
        reportedPicoUsd: 12_524_800_000n,
        models: [
          {
            model: 'opus',
            tokens: { input: 9, output: 8, cacheWrite5m: 0, cacheWrite1h: 0, cacheWrite: 6 },
            webSearches: 2,
            reportedPicoUsd: 12_500_000_000n,
          },
        ],
      },
    ])
  })

  test('run on over the turns of a process', () => {
    expect(totalsOf([init(), used(1, 2, 0.5), init(), used(3, 4, 0.75)])).toEqual([
      ['s1#1', [['opus', 1, 2]], 500_000_000_000n],
      ['s1#1', [['opus', 3, 4]], 750_000_000_000n],
    ])
  })

  test.each([
    { name: 'a figure goes back', next: [init(), used(5, 1, 0.6)], process: 's1#2' },
    { name: 'the price goes back', next: [init(), used(5, 5, 0.1)], process: 's1#2' },
    {
      name: 'a model is gone',
      next: [init(), result({ modelUsage: { haiku: model(9, 9) } })],
      process: 's1#2',
    },
    {
      name: 'the session changes',
      next: [init({ session_id: 's2' }), { ...used(9, 9, 9), session_id: 's2' }],
      process: 's2#2',
    },
  ])('are those of another process when $name', ({ next, process }) => {
    const { totals } = translate(claudeStream, [init(), used(3, 4, 0.5), ...next])
    expect(totals.map((total) => total.process)).toEqual(['s1#1', process])
  })

  test('without models only the price is stated', () => {
    expect(totalsOf([init(), result({ total_cost_usd: 0.9 })])).toEqual([['s1#1', null, 900_000_000_000n]])
    const unread = result({ total_cost_usd: 0.9, modelUsage: { opus: { tokens: 4 } } })
    expect(totalsOf([init(), unread])).toEqual([['s1#1', null, 900_000_000_000n]])
    expect(totalsOf([init(), result()])).toEqual([])
  })

  test('figures in the spelling of old captures are read', () => {
    const old = { opus: { input_tokens: 40, output_tokens: 12 } }
    expect(totalsOf([init(), result({ modelUsage: old })])).toEqual([['s1#1', [['opus', 40, 12]], null]])
  })

  test('a turn that was cut off counts by its messages', () => {
    const lines = [init(), line('m1', 2), used(1, 2, 0.5), init(), line('m2', 7), line('m3', 1)]
    expect(totalsOf(lines)).toEqual([
      ['s1#1', [['opus', 1, 2]], 500_000_000_000n],
      ['s1#1', [['opus', 3, 10]], 500_000_000_000n],
    ])
    expect(translate(claudeStream, lines).notices.map(({ code }) => code)).toEqual(['after-last-result'])
  })
})

describe('other records', () => {
  test.each([
    { record: system('status'), bin: 'Bookkeeping', events: [] },
    { record: system('task_notification'), bin: 'Bookkeeping', events: [] },
    { record: system('hook_response'), bin: 'Bookkeeping', events: [] },
    { record: { type: 'tool_progress' }, bin: 'Bookkeeping', events: [] },
    { record: { type: 'keep_alive' }, bin: 'Bookkeeping', events: [] },
    { record: { type: 'control_request' }, bin: 'Bookkeeping', events: [] },
    { record: { type: 'auth_status' }, bin: 'Bookkeeping', events: [] },
    { record: system('newer'), bin: 'Opaque', events: ['opaque system'] },
    { record: { type: 'newer' }, bin: 'Opaque', events: ['opaque newer'] },
    { record: { type: 'assistant' }, bin: 'Opaque', events: ['opaque assistant'] },
    { record: '7', bin: 'Opaque', events: ['opaque'] },
    { record: system('thinking_tokens'), bin: 'Opaque', events: ['opaque system'] },
    {
      record: system('thinking_tokens', { estimated_tokens: 9, estimated_tokens_delta: -2 }),
      bin: 'Translated',
      events: ['thinking.estimate'],
    },
    { record: system('api_retry'), bin: 'Translated', events: ['warning VENDOR_API_RETRY'] },
    {
      record: system('background_tasks_changed', { tasks: [{ task_id: 'a' }] }),
      bin: 'Translated',
      events: ['warning VENDOR_BACKGROUND_TASKS'],
    },
    {
      record: system('compact_boundary', { compact_metadata: { trigger: 'auto', pre_tokens: 9 } }),
      bin: 'Translated',
      events: ['warning conversation-compacted'],
    },
    {
      record: { type: 'rate_limit_event', rate_limit_info: {} },
      bin: 'Opaque',
      events: ['opaque rate_limit_event'],
    },
  ])('$record.type $record.subtype is $bin', ({ record, bin, events }) => {
    expect(bins([init(), record])[1]).toBe(bin)
    expect(story([init(), record])).toEqual(events)
  })

  test('a rate limit is passed on as it was told', () => {
    const info = {
      status: 'allowed',
      rateLimitType: 'five_hour',
      resetsAt: 1_787_000_000,
      utilization: 0.25,
      isUsingOverage: false,
    }
    expect(named([{ type: 'rate_limit_event', ...of, rate_limit_info: info }], 'rate_limit')).toMatchObject([
      {
        status: 'allowed',
        window: 'five_hour',
        resetsAt: 1_787_000_000,
        utilization: '0.25',
        usingOverage: false,
      },
    ])
  })

  test('messages of warnings are made of what the record tells', () => {
    const messages = named(
      [
        system('api_retry', {
          attempt: 2,
          max_retries: 10,
          retry_delay_ms: 800,
          error_status: 529,
          error: { message: 'overloaded' },
        }),
        system('background_tasks_changed', { tasks: [{ task_id: 'a' }, { task_id: 'b' }] }),
        system('compact_boundary', { compact_metadata: { trigger: 'auto', pre_tokens: 9 } }),
        system('model_refusal_fallback', { original_model: 'a', fallback_model: 'b' }),
      ],
      'warning',
    ).map(({ message }) => message)
    expect(messages).toEqual([
      'a request was repeated, attempt 2 of 10, after 800 ms, status 529: overloaded',
      '2 background tasks are live: a, b',
      'the conversation was compacted (auto), from 9 tokens',
      'refused by a, answered by b',
    ])
  })

  test('a denial told by a record of its own is one warning with that of the result', () => {
    const lines = [
      system('permission_denied', { tool_name: 'Write', tool_use_id: 'c1' }),
      user([
        { type: 'tool_result', tool_use_id: 'c1', is_error: true, content: 'Permission prompt was aborted' },
      ]),
    ]
    expect(named(lines, 'warning')).toMatchObject([{ code: 'approval-denied', deniedCall: 'c1' }])
  })
})

describe('detection', () => {
  test.each([
    { name: 'an init with a version', value: init(), weight: 'proof' },
    { name: 'an init of an old version', value: init({ claude_code_version: undefined }), weight: 'proof' },
    { name: 'an assistant line', value: line('m', 1), weight: 'proof' },
    { name: 'a hand-cut line', value: { type: 'user', session_id: 's', message: {} }, weight: 'weak' },
    { name: 'a result with models', value: result({ modelUsage: {} }), weight: 'proof' },
    { name: 'a result with a price', value: result({ total_cost_usd: 1 }), weight: 'proof' },
    { name: 'a bare result', value: result(), weight: 'weak' },
    {
      name: 'a rate limit',
      value: { type: 'rate_limit_event', ...of, rate_limit_info: {} },
      weight: 'proof',
    },
    {
      name: 'an init of Qwen',
      value: init({ claude_code_version: undefined, qwen_code_version: '1' }),
      weight: null,
    },
    {
      name: 'an init of Amp',
      value: init({ session_id: 'T-1', claude_code_version: undefined }),
      weight: null,
    },
    {
      name: 'an init of Cursor',
      value: init({ claude_code_version: undefined, mcp_servers: undefined }),
      weight: null,
    },
    {
      name: 'an init of Droid',
      value: init({ reasoning_effort: 'x', claude_code_version: undefined }),
      weight: null,
    },
    { name: 'a session record', value: { ...line('m', 1), sessionId: 's' }, weight: null },
    { name: 'something else', value: { type: 'text', session_id: 's' }, weight: null },
  ])('$name: $weight', ({ value, weight }) => {
    expect(evidenceOf(claudeStream, value)?.weight ?? null).toBe(weight)
  })

  test('the run is the session', () => {
    expect(runIdOf(claudeStream, init())).toBe('s1')
    expect(runIdOf(claudeStream, { type: 'user' })).toBeNull()
  })
})

describeWithShared('sample streams', () => {
  const fixtures = join(sharedDir, 'fixtures')

  interface Golden {
    readonly entries: readonly {
      readonly file: string
      readonly what: string
      readonly wrong?: boolean
      readonly expected: {
        readonly model_usage?: Record<string, Record<string, number>>
        readonly total_cost_usd?: number
      }
    }[]
  }
  const golden = (): Golden['entries'] => {
    const all: Golden = JSON.parse(readFileSync(join(fixtures, 'golden.json'), 'utf8'))
    return all.entries.filter(
      ({ file, expected, wrong }) =>
        file.startsWith('vendors/claude-stream-json/') &&
        wrong !== true &&
        expected.model_usage !== undefined,
    )
  }

  test('have the totals of their last result', () => {
    expect(golden().length).toBeGreaterThan(4)
    for (const { file, expected } of golden()) {
      const { totals } = translate(claudeStream, readFileSync(join(fixtures, file)))
      const models = Object.fromEntries(
        (totals.at(-1)?.models ?? []).map(({ model: name, tokens, webSearches }) => [
          name,
          {
            input_uncached: tokens.input,
            cache_write: tokens.cacheWrite,
            cache_read: tokens.cacheRead,
            output: tokens.output,
            web_search_requests: webSearches,
          },
        ]),
      )
      const wanted = Object.fromEntries(
        Object.entries(expected.model_usage ?? {}).map(([name, { cost_usd: _cost, ...figures }]) => [
          name,
          figures,
        ]),
      )
      expect({ file, models }).toMatchObject({ file, models: wanted })
      expect(Number(totals.at(-1)?.reportedPicoUsd) / 1e12).toBeCloseTo(expected.total_cost_usd ?? 0, 9)
    }
  })

  test('of upstream give the same events, but for what docs/formats.md lists', () => {
    const folder = join(fixtures, 'metaharness/claude-c2')
    const namesIn = (file: string): string[] =>
      readFileSync(join(folder, file), 'utf8')
        .trim()
        .split('\n')
        .map((text) => (JSON.parse(text) as { event: string }).event)
    for (const name of ['session', 'auth-expired', 'unknown-records']) {
      const { events } = translate(claudeStream, readFileSync(join(folder, `${name}.in.jsonl`)))
      // Usage comes when the message is over; a stream without its opening record still opens.
      const opened = name === 'unknown-records' ? ['session.started'] : []
      const ours = events.map(({ event }) => event).toSorted()
      expect(ours).toEqual([...opened, ...namesIn(`${name}.expected.jsonl`)].toSorted())
    }
  })
})
