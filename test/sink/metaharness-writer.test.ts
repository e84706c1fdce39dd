import { describe, expect, test } from 'vitest'
import { EVENT_NAMES, type SessionEnded, type UsageFigures } from '../../src/event/events.ts'
import { Bin, type Sink } from '../../src/event/sink.ts'
import { key } from '../../src/kernel/key.ts'
import type { Node } from '../../src/kernel/record.ts'
import { Scanner } from '../../src/kernel/scanner.ts'
import { Splice } from '../../src/sink/splice.ts'
import { sha256 } from '../digest.ts'
import { readStrictly } from '../strict-reader.ts'
import { Desk } from './desk.ts'
import {
  noUsage,
  oneOfEach,
  sessionEnded,
  sessionStarted,
  toolDecided,
  toolRequested,
  toolResult,
} from './events.ts'

function written(write: (sink: Sink) => void): string {
  const desk = new Desk()
  write(desk.writer)
  return desk.text
}

const figures: UsageFigures = {
  inputTokens: 1,
  outputTokens: 0,
  cacheReadInputTokens: 2 ** 40,
  cacheCreationInputTokens: 4,
  serviceTier: 'standard',
  thinkingTokens: 5,
  iterations: 0,
  speed: 'fast',
  costUsd: '0.0012300',
}
const census = {
  allowed: 1,
  denied: 2,
  replaced: 3,
  abstained: 4,
  bySeam: { hook: 10 },
  byDecider: { frame: 9, deadline: 1 },
}
const step = { workflow: 'flow', state: 'a/b', index: 2, attempt: 3 }
const digest = sha256('x')
const at = '2026-05-04T10:00:00.123+02:00'

const inputOf = (desk: Desk): Node => desk.node('input')
const parts = {
  input: { z: [1, 2, 1.5], a: null },
  observed: [{ turn: 1, turn_id: 't', model: 'm', scope: 'turn_selection' }],
  transcript: { path: 'p', digest, bytes: 12 },
  hermetic: {
    mode: 'strict',
    decisions: 'ask',
    imposed: [{ row: 'h1a', how: 'x' }],
    unavailable: [{ row: 'h2', why: 'y' }],
    ambient_inputs: ['z'],
    installed_plugins: [],
  },
  ok: { result: 'ok', applies_at: 'next' },
  cost: 1.25,
}
const source = `${JSON.stringify(parts)}\n`

/** Each event with every field set, and the keys of its line, outermost first. */
const full: readonly { write: (desk: Desk, sink: Sink) => void; keys: string }[] = [
  {
    write: (desk, sink) =>
      sink.sessionStarted({
        ...sessionStarted(),
        at,
        adapterClass: 'direct_provider',
        harnessVersion: '1.2.3',
        model: 'm',
        permissionMode: 'default',
        credentialSource: 'env',
        outputStyle: 'plain',
        cwd: '/home/dev/app',
        offeredTools: ['Bash', 'Read'],
        availableOperations: ['shell', 'file.read'],
        withheld: [{ tool: 'Write', reason: 'read-only' }],
        slashCommands: [],
        skills: ['s'],
        agents: ['a', 'b'],
        plugins: [{ name: 'p', source: 'here', version: null }],
        mcpServers: [{ name: 'm', status: 'connected' }],
        inputsDigest: digest,
        transcript: desk.node('transcript'),
        hermetic: desk.node('hermetic'),
      }),
    keys: `adapter adapter_class harness_version session_id model permission_mode credential_source output_style cwd
      offered_tools available_operations withheld slash_commands skills agents plugins mcp_servers inputs_digest
      transcript hermetic`,
  },
  {
    write: (desk, sink) =>
      sink.sessionEnded({
        at,
        finalAnswer: { text: 'done', turnId: 't1' },
        observedModels: desk.node('observed'),
        isError: false,
        subtype: 'success',
        stopReason: 'end_turn',
        terminalReason: 'completed',
        apiErrorStatus: '529',
        numTurns: 3,
        durationMs: 4,
        durationApiMs: 5,
        ttftMs: 6,
        timeToRequestMs: 7,
        totalCostUsd: desk.node('cost'),
        permissionDenials: [{ toolName: 'Bash', toolUseId: 'c', toolInput: inputOf(desk) }],
        subagentsSpawned: 0,
        usage: figures,
        modelUsage: [
          { model: 'm', usage: figures },
          { model: null, usage: noUsage() },
        ],
        census,
      }),
    keys: `final_answer observed_models is_error subtype stop_reason terminal_reason api_error_status num_turns
      duration_ms duration_api_ms ttft_ms time_to_request_ms total_cost_usd permission_denials subagents_spawned usage
      model_usage census`,
  },
  { write: (_, sink) => sink.stepEntered({ at, step, frameDigest: digest }), keys: 'step frame_digest' },
  { write: (_, sink) => sink.stepLeft({ at, step, outcome: 'failed', reason: 'why' }), keys: 'step outcome' },
  { write: (_, sink) => sink.turnStarted({ at, turn: 1, frameDigest: digest }), keys: 'turn frame_digest' },
  { write: (_, sink) => sink.turnEnded({ at, turn: 1, stopReason: 'end' }), keys: 'turn stop_reason' },
  { write: (_, sink) => sink.text({ at, text: 'said', requestId: 'q' }), keys: 'text request_id' },
  { write: (_, sink) => sink.thinking({ at, text: 'thought', requestId: 'q' }), keys: 'text request_id' },
  { write: (_, sink) => sink.thinkingEstimate({ at, estimate: 9, delta: -4 }), keys: 'estimate delta' },
  { write: (_, sink) => sink.injection({ at, text: 'put in', origin: 'synthetic' }), keys: 'text origin' },
  {
    write: (desk, sink) =>
      sink.toolRequested({
        ...toolRequested('c', 'Bash', ['shell']),
        at,
        input: inputOf(desk),
        subjects: ['proc:ls'],
        decisionRequired: true,
        deadlineMs: 1000,
        seam: 'owned_tool',
      }),
    keys: 'call_id name input operations subjects decision_required deadline_ms seam',
  },
  {
    write: (desk, sink) =>
      sink.toolDecided({ ...toolDecided('c', 'replace'), at, input: inputOf(desk), latencyMs: 0 }),
    keys: 'call_id decision decided_by seam latency_ms',
  },
  {
    write: (desk, sink) =>
      sink.toolResult({
        at,
        exitCode: -1,
        outcomeSource: 'retained_tool_completion',
        callId: 'c',
        isError: true,
        content: inputOf(desk),
        bytes: 17,
        toolUseResult: inputOf(desk),
      }),
    keys: 'exit_code outcome_source call_id is_error content bytes tool_use_result',
  },
  {
    write: (_, sink) => sink.usage({ at, requestId: 'q', model: 'm', usage: figures }),
    keys: 'request_id model usage',
  },
  {
    write: (desk, sink) =>
      sink.rateLimit({
        at,
        status: 'rejected',
        window: 'five_hour',
        resetsAt: -5,
        utilization: desk.node('cost'),
        usingOverage: true,
      }),
    keys: 'info',
  },
  {
    write: (desk, sink) => sink.commandResult({ at, id: 'i', outcome: desk.node('ok') }),
    keys: 'id outcome',
  },
  { write: (_, sink) => sink.warning({ at, code: 'C', message: 'm' }), keys: 'code message' },
  {
    write: (_, sink) => sink.opaque({ at, vendorType: 'a', vendorSubtype: 'b', digest, sourceLine: 8 }),
    keys: 'vendor_type vendor_subtype digest source_line',
  },
  {
    write: (_, sink) => sink.authExpired({ at, credentialSource: 'env', detail: 'gone', sourceLine: null }),
    keys: 'credential_source detail source_line',
  },
  { write: (_, sink) => sink.streamClosed({ reason: 'steer-halt' }), keys: 'process events reason run_id' },
]

describe('every event is a line that strict readers take', () => {
  test('with nothing known', () => {
    const desk = new Desk(source)
    // The outcome of a command is the one thing that no event of its kind may lack.
    const command = EVENT_NAMES.indexOf('command.result')
    for (const [i, write] of oneOfEach.entries()) {
      if (i === command) desk.writer.commandResult({ at: null, id: 'i', outcome: desk.node('ok') })
      else write(desk.writer)
    }
    const events = readStrictly(Buffer.from(desk.splice.output()))
    expect(events.map(({ event }) => event)).toEqual([...EVENT_NAMES])
    expect(desk.writer.events).toBe(20)
    expect(desk.notices).toEqual([])
  })

  test('with everything known, its keys in the order of the format', () => {
    const desk = new Desk(source)
    for (const { write } of full) write(desk, desk.writer)
    const events = readStrictly(Buffer.from(desk.splice.output()))
    expect(events.map(({ event }) => event)).toEqual([...EVENT_NAMES])
    for (const [i, { keys }] of full.entries()) {
      const envelope = ['format', 'seq', 'run', ...(i === 19 ? [] : ['at']), 'event']
      expect(Object.keys(events[i] ?? {})).toEqual([...envelope, ...keys.split(/\s+/)])
      if (i < 19 && events[i]?.['at'] !== at) throw new Error(`${events[i]?.event} lost its time`)
    }
  })

  test('with its values as they were given', () => {
    const desk = new Desk(source)
    for (const { write } of full) write(desk, desk.writer)
    const [started, ended, , left, , , , , , , requested, decided, result, usage, limit] = readStrictly(
      Buffer.from(desk.splice.output()),
    )
    expect(started).toMatchObject({
      adapter: 'claude',
      offered_tools: ['Bash', 'Read'],
      withheld: [{ tool: 'Write', reason: 'read-only' }],
      slash_commands: [],
      plugins: [{ name: 'p', source: 'here', version: null }],
      transcript: parts.transcript,
      hermetic: parts.hermetic,
    })
    const wire = {
      input_tokens: 1,
      output_tokens: 0,
      cache_read_input_tokens: 2 ** 40,
      cache_creation_input_tokens: 4,
      service_tier: 'standard',
      thinking_tokens: 5,
      iterations: 0,
      speed: 'fast',
      cost_usd: 0.00123,
    }
    const unknown = Object.fromEntries(Object.keys(wire).map((name) => [name, null]))
    expect(ended).toMatchObject({
      final_answer: { text: 'done', turn_id: 't1' },
      observed_models: parts.observed,
      permission_denials: [{ tool_name: 'Bash', tool_use_id: 'c', tool_input: parts.input }],
      total_cost_usd: 1.25,
      usage: wire,
      model_usage: { m: wire, unknown },
      census: {
        allowed: 1,
        denied: 2,
        replaced: 3,
        abstained: 4,
        by_seam: { hook: 10 },
        by_decider: { frame: 9, deadline: 1 },
      },
    })
    expect(left).toMatchObject({ step, outcome: { outcome: 'failed', reason: 'why' } })
    expect(requested).toMatchObject({ input: parts.input, operations: ['shell'], subjects: ['proc:ls'] })
    expect(decided).toMatchObject({ decision: { decision: 'replace', input: parts.input } })
    expect(result).toMatchObject({ content: parts.input, tool_use_result: parts.input })
    expect(usage).toMatchObject({ usage: wire })
    expect(limit).toMatchObject({ info: { resets_at: -5, utilization: 1.25, using_overage: true } })
    expect(desk.text).toContain('"input":{"z":[1,2,1.5],"a":null}')
    expect(desk.text).toContain('"cost_usd":0.0012300')
  })

  test.each([
    { decision: 'allow', wire: { decision: 'allow' } },
    { decision: 'abstain', wire: { decision: 'abstain' } },
    { decision: 'deny', wire: { decision: 'deny', reason: 'no' } },
    { decision: 'replace', wire: { decision: 'replace', input: null } },
  ] as const)('a decision to $decision', ({ decision, wire }) => {
    const desk = new Desk()
    desk.writer.toolDecided({ ...toolDecided('c', decision), reason: 'no' })
    expect(desk.close()[0]?.['decision']).toEqual(wire)
  })

  test.each([
    { outcome: 'completed', wire: { outcome: 'completed' } },
    { outcome: 'failed', wire: { outcome: 'failed', reason: 'r' } },
    { outcome: 'no_verdict', wire: { outcome: 'no_verdict', reason: 'r' } },
  ] as const)('a step that was $outcome', ({ outcome, wire }) => {
    const desk = new Desk()
    desk.writer.stepLeft({ at: null, step, outcome, reason: 'r' })
    expect(desk.close()[0]?.['outcome']).toEqual(wire)
  })

  test('lines exactly as upstream writes them', () => {
    const head = '{"format":"metaharness.event/1","seq":1,"run":"r1"'
    expect(written((sink) => sink.text({ at: null, text: 'a "b"', requestId: null }))).toBe(
      `${head},"event":"text","text":"a \\"b\\"","request_id":null}\n`,
    )
    expect(written((sink) => sink.toolResult(toolResult('c')))).toBe(
      `${head},"event":"tool.result","exit_code":null,"outcome_source":null,"call_id":"c","is_error":null,` +
        '"content":null,"bytes":null,"tool_use_result":null}\n',
    )
    expect(written((sink) => sink.toolRequested(toolRequested('c', 'Bash')))).toBe(
      `${head},"event":"tool.requested","call_id":"c","name":"Bash","input":null,"decision_required":false,` +
        '"deadline_ms":null,"seam":"none"}\n',
    )
    expect(written((sink) => sink.streamClosed({ reason: 'error' }))).toBe(
      `${head},"event":"stream.closed","process":{"kind":"unknown"},"events":0,"reason":"error","run_id":"r1"}\n`,
    )
    const started = written((sink) => sink.sessionStarted(sessionStarted()))
    expect(started).not.toContain('available_operations')
    expect(started).toContain(
      '"transcript":{"path":"a/b.jsonl","digest":null,"bytes":null},"hermetic":{"mode":"off",',
    )
  })

  test('lists that are empty, and lists nobody gave', () => {
    const nothing: Partial<SessionEnded> = { permissionDenials: [], modelUsage: [], observedModels: null }
    const desk = new Desk()
    desk.writer.sessionEnded(sessionEnded(nothing))
    desk.writer.sessionStarted(
      sessionStarted({ availableOperations: [], withheld: [], mcpServers: [], skills: [] }),
    )
    const [ended, started] = desk.close()
    expect(ended).toMatchObject({ permission_denials: [], model_usage: {}, observed_models: null })
    expect(started).toMatchObject({
      available_operations: [],
      withheld: [],
      mcp_servers: [],
      skills: [],
      agents: null,
    })
  })
})

describe('where an event comes from', () => {
  test('is said when it is asked for', () => {
    const desk = new Desk('1\n{}\n{}\n', { provenance: true })
    desk.record(1)
    desk.writer.text({ at: null, text: 'a', requestId: null })
    desk.writer.text({ at: null, text: 'b', requestId: null, line: 7, foldedLines: [3, 4] })
    desk.writer.opaque({ at: null, vendorType: null, vendorSubtype: null, foldedLines: [1] })
    desk.writer.authExpired({ at: null, credentialSource: null, detail: null, line: 9 })
    const events = desk.close()
    expect(events.map((event) => [event['source_line'], event['folded_lines']])).toEqual([
      [2, undefined],
      [7, [3, 4]],
      [2, [1]],
      [9, undefined],
      [undefined, undefined],
    ])
    expect(desk.text.match(/source_line/g)).toHaveLength(4)
  })

  test('is not said otherwise, but by what has a field for it', () => {
    const desk = new Desk('1\n{}\n')
    desk.record(1)
    desk.writer.text({ at: null, text: 'b', requestId: null, line: 7, foldedLines: [3, 4] })
    desk.writer.opaque({ at: null, vendorType: null, vendorSubtype: null })
    expect(desk.close().map((event) => event['source_line'])).toEqual([undefined, 2, undefined])
  })

  test('an opaque record is named by the digest of its bytes, its line end left out', () => {
    const desk = new Desk('{"a": 1} \r\n{"b":2}{"c":3}\nnot json\n')
    const wanted = ['{"a": 1} ', '{"b":2}', '{"c":3}', 'not json']
    for (const i of wanted.keys()) {
      desk.record(i)
      desk.writer.opaque({ at: null, vendorType: null, vendorSubtype: null })
    }
    const events = desk.close().slice(0, -1)
    expect(events.map((event) => event['digest'])).toEqual(wanted.map(sha256))
    expect(events.map((event) => event['source_line'])).toEqual([1, 2, 2, 3])
  })

  test('an opaque block by the digest of its sorted compact form', () => {
    const desk = new Desk('{"v": { "type" : "hologram", "payload":[ 1.0,"\\u0041" ], "type":"last" } }\n')
    desk.writer.opaque({ at: null, vendorType: 'a', vendorSubtype: 'b', block: desk.node('v') })
    expect(desk.close()[0]?.['digest']).toBe(sha256('{"payload":[1.0,"\\u0041"],"type":"last"}'))
  })

  test('a record over the limit by the digest it was passed over with', () => {
    const desk = new Desk()
    desk.scanner.view.oversize = { digest, bytes: 1e9 }
    desk.writer.opaque({ at: null, vendorType: null, vendorSubtype: null })
    expect(desk.close()[0]?.['digest']).toBe(digest)
  })

  test('bookkeeping and folded records are opaque events when all are asked for', () => {
    for (const opaqueAll of [true, false]) {
      const desk = new Desk('{}\n', { opaqueAll })
      for (const bin of Object.values(Bin)) desk.file(bin)
      expect(desk.close()).toHaveLength(opaqueAll ? 3 : 1)
    }
  })
})

describe('a stream', () => {
  test('of many events is numbered without gaps, over every flush', () => {
    const desk = new Desk('{"v":{"a":[1,2,3]}}\n')
    for (let i = 0; i < 20_000; i++) {
      desk.writer.toolResult({ ...toolResult(`call-${i}`), content: desk.node('v') })
    }
    const events = desk.close()
    expect(events).toHaveLength(20_001)
    expect(events.at(-1)?.['events']).toBe(20_000)
  })

  test('goes on in another splice', () => {
    const desk = new Desk()
    desk.writer.text({ at: null, text: 'a', requestId: null })
    const first = Buffer.from(desk.splice.output())
    const other = new Scanner()
    other.scanBytes(Buffer.from('{"v":"b"}\n'))
    const splice = new Splice(other)
    desk.writer.continueIn(splice)
    const record = other.select(0, 2)
    desk.writer.record(record)
    desk.writer.text({ at: null, text: record.get(record.root, key('v')), requestId: null })
    desk.writer.streamClosed({ reason: 'completed' })
    const events = readStrictly(Buffer.concat([first, splice.output()]))
    expect(events.map((event) => event['text'])).toEqual(['a', 'b', undefined])
  })

  test('with very long lists', () => {
    const tools = Array.from({ length: 50_000 }, (_, i) => `tool-${i}`)
    const desk = new Desk('{"v":{"a":1}}\n')
    const denials = tools.map((toolName) => ({ toolName, toolUseId: null, toolInput: desk.node('v') }))
    const models = tools.map((model) => ({ model, usage: figures }))
    desk.writer.sessionStarted(sessionStarted({ offeredTools: tools }))
    desk.writer.sessionEnded(sessionEnded({ permissionDenials: denials, modelUsage: models }))
    const [started, ended] = desk.close()
    expect(started?.['offered_tools']).toEqual(tools)
    expect(ended?.['permission_denials']).toHaveLength(50_000)
    expect(Object.keys(Object(ended?.['model_usage']))).toEqual(tools)
  })
})
