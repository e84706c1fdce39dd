import { describe, expect, test } from 'vitest'
import { claudeSession } from '../../src/dialect/claude-session.ts'
import { Interpreter } from '../../src/dialect/interpreter.ts'
import { Dialects } from '../../src/dialect/registry.ts'
import { unknown } from '../../src/dialect/unknown.ts'
import type { Adapter } from '../../src/dialect/adapter.ts'
import { NONE } from '../../src/kernel/record.ts'
import { Scanner } from '../../src/kernel/scanner.ts'
import { RecordingSink } from './recording-sink.ts'

const SESSION =
  '{"type":"user","uuid":"u1","parentUuid":null,"sessionId":"s1","message":{"role":"user","content":"hello"}}'
const AGAIN =
  '{"type":"user","uuid":"u2","parentUuid":"u1","sessionId":"s1","message":{"role":"user","content":"again"}}'
const B10X = ['{"kind":"started","model":"m","published_tools":[]}', '{"kind":"turn-started","turn":1}']
const FOREIGN = '{"type":"zork","payload":1}'

function interpret(
  first: Adapter<unknown>,
  dialects: Dialects | null,
  lines: readonly string[],
): RecordingSink {
  const context = { run: 'r', deltas: false, tolerant: true, parts: [] }
  const interpreter = new Interpreter(first, context, dialects)
  const scanner = new Scanner()
  scanner.scanBytes(Buffer.from(lines.join('\n')))
  const sink = new RecordingSink()
  for (let i = 0; i < scanner.recordCount; i++) {
    const record = scanner.select(i, 1)
    if (record.root === NONE) continue
    sink.record(record)
    sink.file(record, interpreter.step(record, sink))
  }
  interpreter.end(sink)
  return sink
}

describe('a transcript that changes its dialect', () => {
  test('goes on in the other, with a notice at the change', () => {
    const sink = interpret(claudeSession, new Dialects(), [SESSION, ...B10X])
    expect(sink.events.map(({ event }) => event)).toEqual([
      'session.started',
      'injection',
      'session.started',
      'turn.started',
    ])
    expect(sink.notices.map(({ code, line }) => [code, line])).toEqual([['dialect-changed', 2]])
  })

  test('and back finds its state again', () => {
    const sink = interpret(claudeSession, new Dialects(), [SESSION, ...B10X, AGAIN])
    const events = sink.events.map(({ event }) => event)
    expect(events.filter((event) => event === 'session.started')).toHaveLength(2)
    expect(events.at(-1)).toBe('injection')
  })

  test('begins to be one after records of nobody', () => {
    const sink = interpret(unknown, new Dialects(), [FOREIGN, SESSION])
    expect(sink.events.map(({ event }) => event)).toEqual(['opaque', 'session.started', 'injection'])
  })

  test('keeps what nobody claims opaque', () => {
    const sink = interpret(claudeSession, new Dialects(), [SESSION, FOREIGN, AGAIN])
    expect(sink.events.map(({ event }) => event)).toEqual([
      'session.started',
      'injection',
      'opaque',
      'injection',
    ])
    expect(sink.notices).toEqual([])
  })

  test('stays in a dialect that was named', () => {
    const sink = interpret(claudeSession, null, [SESSION, ...B10X])
    expect(sink.events.map(({ event }) => event)).toEqual([
      'session.started',
      'injection',
      'opaque',
      'opaque',
    ])
  })
})
