import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { EVENT_NAMES } from '../../src/event/events.ts'
import { Bin } from '../../src/event/sink.ts'
import { keys } from '../../src/kernel/key.ts'
import { Scanner } from '../../src/kernel/scanner.ts'
import { type Census, addFailed, emptyCensus, mergeCensus, takeCensus } from '../../src/sink/census-counts.ts'
import { CensusSink } from '../../src/sink/census.ts'
import { oneOfEach, sessionEnded, sessionStarted, toolDecided, toolRequested, toolResult } from './events.ts'

const seen = { completeness: 'complete', bytes: 10, lines: 2 } as const

function censusOf(feed: (sink: CensusSink) => void, run = 'run'): Census {
  const sink = new CensusSink({ path: 'a.jsonl', run, dialect: 'claude-session' })
  feed(sink)
  return sink.finish(seen)
}

const denial = (toolUseId: string | null) => ({ toolName: 'Bash', toolUseId, toolInput: null })

const make = (calls: readonly ((sink: CensusSink) => void)[]) =>
  censusOf((sink) => calls.forEach((one) => one(sink)))

describe('events and records', () => {
  test('every event is counted under its own name', () => {
    for (const [i, call] of oneOfEach.entries()) {
      expect(censusOf(call).events).toEqual(EVENT_NAMES.map((_, at) => (at === i ? 1 : 0)))
    }
  })

  test('records fall in their bins, blank lines beside them', () => {
    const scanner = new Scanner()
    scanner.scanBytes(Buffer.from('{}\n'))
    const record = scanner.select(0, 1)
    const { records } = censusOf((sink) => {
      for (const bin of [
        Bin.Translated,
        Bin.Translated,
        Bin.Folded,
        Bin.Bookkeeping,
        Bin.Opaque,
        Bin.Unparsed,
      ]) {
        sink.file(record, bin)
      }
      sink.blank(3)
    })
    expect(records).toEqual({ translated: 2, folded: 1, bookkeeping: 1, opaque: 1, unparsed: 1, blank: 3 })
  })

  test('words are read out of the record that was announced', () => {
    const scanner = new Scanner()
    scanner.scanBytes(Buffer.from('{"name":"Ba\\u0073h","id":"c1"}\n{"id":"c1"}\n'))
    const field = keys('name', 'id')
    const { tools } = censusOf((sink) => {
      const request = scanner.select(0, 1)
      sink.record(request)
      sink.toolRequested(
        toolRequested(request.get(request.root, field.id), request.get(request.root, field.name)),
      )
      const result = scanner.select(1, 2)
      sink.record(result)
      sink.toolResult(toolResult(result.get(result.root, field.id)))
    })
    expect([...tools]).toEqual([['Bash', expect.objectContaining({ requested: 1, results: 1 })]])
  })

  test('words kept from an earlier record are read too', () => {
    const kept = { bytes: Buffer.from('"Re\\u0061d"'), suspect: false }
    expect([...censusOf((sink) => sink.toolRequested(toolRequested('c', kept))).tools.keys()]).toEqual([
      'Read',
    ])
  })
})

describe('tools', () => {
  test('results and errors belong to the latest request with their id', () => {
    const { tools } = censusOf((sink) => {
      sink.toolRequested(toolRequested('c', 'Bash'))
      sink.toolResult(toolResult('c', true))
      sink.toolRequested(toolRequested('c', 'Read'))
      sink.toolResult(toolResult('c', false))
      sink.toolResult(toolResult('never asked', null))
    })
    expect(tools.get('Bash')).toMatchObject({ requested: 1, results: 1, errors: 1 })
    expect(tools.get('Read')).toMatchObject({ requested: 1, results: 1, errors: 0 })
    expect(tools.get('(unknown)')).toMatchObject({ requested: 0, results: 1 })
  })

  test('a denial finds its call before and after the result', () => {
    const refused = { at: null, code: 'approval-denied', message: 'no', deniedCall: 'c' }
    const { tools, warnings } = censusOf((sink) => {
      sink.toolRequested(toolRequested('c', 'Bash'))
      sink.warning(refused)
      sink.toolResult(toolResult('c', true))
      sink.warning(refused)
      sink.toolDecided(toolDecided('c', 'deny'))
      sink.warning({ at: null, code: 'other', message: 'no call' })
    })
    expect(tools.get('Bash')?.denied).toBe(3)
    expect([...warnings]).toEqual([
      ['approval-denied', 2],
      ['other', 1],
    ])
  })

  test('offered counts sessions, not announcements', () => {
    const withheld = [{ tool: 'Web', reason: 'r' }]
    const { tools, sessions } = censusOf((sink) => {
      sink.sessionStarted(sessionStarted({ offeredTools: ['Bash', 'Bash', 'Read'], withheld }))
      sink.sessionStarted(sessionStarted({ offeredTools: ['Bash'], withheld }))
      sink.sessionStarted(sessionStarted({ sessionId: 's2', offeredTools: ['Bash'] }))
    })
    expect([tools.get('Bash')?.offered, tools.get('Read')?.offered, tools.get('Web')?.withheld]).toEqual([
      2, 1, 1,
    ])
    expect([...sessions]).toEqual(['s1', 's2'])
  })

  test.each(['__proto__', 'constructor', 'toString', '7', ''])('may be called %j', (name) => {
    const { tools } = censusOf((sink) => sink.toolRequested(toolRequested('c', name)))
    expect([...tools]).toEqual([[name, expect.objectContaining({ requested: 1 })]])
  })

  test('without bound in number and length are still bounded', () => {
    const { tools, opaque } = censusOf((sink) => {
      for (let i = 0; i < 3000; i++) {
        sink.toolRequested(toolRequested(`c${i}`, `${'x'.repeat(300 + i)}${i}`))
        sink.toolRequested(toolRequested(`d${i}`, `tool ${i}`))
        sink.opaque({ at: null, vendorType: `type ${i}`, vendorSubtype: null })
      }
    })
    expect(tools.size).toBeLessThanOrEqual(1001)
    expect(Math.max(...[...tools.keys()].map((name) => name.length))).toBe(200)
    expect(opaque.size).toBe(1001)
    expect(opaque.get('(other)')).toBe(2000)
  })

  test('open calls are bounded, the oldest forgotten', () => {
    const { tools } = censusOf((sink) => {
      for (let i = 0; i < 65_537; i++) sink.toolRequested(toolRequested(`c${i}`, 'Bash'))
      sink.toolResult(toolResult('c0'))
      sink.toolResult(toolResult('c1'))
    })
    expect([tools.get('Bash')?.results, tools.get('(unknown)')?.results]).toEqual([1, 1])
  })
})

describe('sessions and denials', () => {
  test('a subagent is no session; a session without an id goes by its run', () => {
    const child = censusOf((sink) => sink.sessionStarted(sessionStarted({ subagent: true })))
    expect([child.sessions.size, child.subagentTranscripts]).toEqual([0, 1])
    const nameless = censusOf((sink) => sink.sessionStarted(sessionStarted({ sessionId: null })), 'stem')
    expect([...nameless.sessions]).toEqual(['stem'])
  })

  test('subagents are what was stated last, else the requests that spawn', () => {
    const spawn = toolRequested('c', 'Task', ['subagent.spawn'])
    expect(censusOf((sink) => sink.toolRequested(spawn)).subagents).toBe(1)
    const stated = censusOf((sink) => {
      sink.toolRequested(spawn)
      sink.sessionEnded(sessionEnded({ subagentsSpawned: 2 }))
      sink.sessionEnded(sessionEnded({ subagentsSpawned: 3 }))
    })
    expect(stated.subagents).toBe(3)
  })

  test('denials that a later terminal record lists again count once', () => {
    const { permissionDenials } = censusOf((sink) => {
      sink.sessionEnded(sessionEnded({ permissionDenials: [denial('a')] }))
      sink.sessionEnded(sessionEnded({ permissionDenials: [denial('a'), denial('b'), denial(null)] }))
    })
    expect(permissionDenials).toBe(3)
  })

  test('decisions are kept apart from what the seam states', () => {
    const stated = { allowed: 5, denied: 1, replaced: 0, abstained: 0, bySeam: {}, byDecider: {} }
    const { decisions, statedDecisions } = censusOf((sink) => {
      for (const decision of ['allow', 'deny', 'replace', 'abstain', 'allow'] as const) {
        sink.toolDecided(toolDecided('c', decision))
      }
      sink.sessionEnded(sessionEnded({ census: stated }))
    })
    expect(decisions).toMatchObject({ allowed: 2, denied: 1, replaced: 1, abstained: 1 })
    expect([[...decisions.bySeam], [...decisions.byDecider]]).toEqual([[['hook', 5]], [['frame', 5]]])
    expect(statedDecisions).toEqual({ allowed: 5, denied: 1, replaced: 0, abstained: 0 })
  })

  test.each([
    ['assistant', 'hologram', 'assistant/hologram'],
    ['assistant', null, 'assistant'],
    [null, 'x', 'unknown/x'],
    [null, null, 'unknown'],
  ])('opaque %j and %j is %s', (vendorType, vendorSubtype, words) => {
    const { opaque } = censusOf((sink) => sink.opaque({ at: null, vendorType, vendorSubtype }))
    expect([...opaque]).toEqual([[words, 1]])
  })
})

describe('merging', () => {
  const call = fc.oneof(
    { weight: 2, arbitrary: fc.constantFrom(...oneOfEach) },
    {
      weight: 3,
      arbitrary: fc.tuple(fc.constantFrom('a', 'b'), fc.constantFrom('Bash', '__proto__')).map(
        ([id, name]) =>
          (sink: CensusSink) =>
            sink.toolRequested(toolRequested(id, name)),
      ),
    },
    { weight: 1, arbitrary: fc.constant((sink: CensusSink) => sink.unparsed('not-json')) },
  )
  const transcript = fc.array(call, { maxLength: 12 })
  test('has an identity, on both sides', () => {
    const property = fc.property(transcript, (calls) => {
      expect(mergeCensus(emptyCensus(), make(calls))).toEqual(make(calls))
      expect(mergeCensus(make(calls), emptyCensus())).toEqual(make(calls))
    })
    fc.assert(property)
  })

  test('is associative and commutative, and leaves what it reads alone', () => {
    const property = fc.property(transcript, transcript, transcript, (x, y, z) => {
      const left = mergeCensus(mergeCensus(make(x), make(y)), make(z))
      const right = mergeCensus(make(x), mergeCensus(make(y), make(z)))
      expect(left).toEqual(right)
      expect(mergeCensus(mergeCensus(make(z), make(x)), make(y))).toEqual(left)
      const read = make(y)
      mergeCensus(make(x), read)
      expect(read).toEqual(make(y))
    })
    fc.assert(property)
  })

  test('what was added can be taken out again', () => {
    const property = fc.property(transcript, transcript, (x, y) => {
      const stays = make(x)
      const whole = mergeCensus(make(x), make(y))
      expect(takeCensus(whole, make(y), (session) => stays.sessions.has(session))).toEqual(stays)
    })
    fc.assert(property)
  })

  test('crosses threads as it is', () => {
    const census = make(oneOfEach)
    addFailed(census, 'codex-rollout')
    addFailed(census, null)
    expect(structuredClone(census)).toEqual(census)
    expect(census.transcripts.completeness).toEqual({ complete: 1, truncated: 0, inconsistent: 0, failed: 2 })
  })
})
