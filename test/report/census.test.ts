import { describe, expect, test } from 'vitest'
import { censusJson } from '../../src/report/census-json.ts'
import { decisionNotices, requestsByModel } from '../../src/report/census-report.ts'
import { censusTable } from '../../src/report/census-table.ts'
import { emptyCensus } from '../../src/sink/census-counts.ts'
import { CensusSink } from '../../src/sink/census.ts'
import { oneOfEach, sessionEnded, toolRequested } from '../sink/events.ts'
import { entry } from '../usage/entries.ts'

const nothing = { census: emptyCensus(), models: new Map<string, number>(), digest: null, notices: [] }

function some() {
  const sink = new CensusSink({ path: 'a.jsonl', run: 'r', dialect: 'codex-rollout' })
  for (const call of oneOfEach) call(sink)
  for (const name of ['__proto__', '7', 'Bash']) sink.toolRequested(toolRequested(name, name))
  sink.unparsed('truncated')
  return sink.finish({ completeness: 'truncated', bytes: 12_345, lines: 900 })
}

function withDenials(n: number) {
  const sink = new CensusSink({ path: 'a', run: 'r', dialect: 'd' })
  const denials = Array.from({ length: n }, () => ({ toolName: 'x', toolUseId: null, toolInput: null }))
  sink.sessionEnded(sessionEnded({ permissionDenials: denials }))
  return sink.finish({ completeness: 'complete', bytes: 0, lines: 0 })
}

describe('JSON', () => {
  test('of nothing has every key, in the published order', () => {
    const events =
      '"session.started":0,"session.ended":0,"step.entered":0,"step.left":0,"turn.started":0,"turn.ended":0,"text":0,' +
      '"thinking":0,"thinking.estimate":0,"injection":0,"tool.requested":0,"tool.decided":0,"tool.result":0,"usage":0,' +
      '"rate_limit":0,"command.result":0,"warning":0,"opaque":0,"auth.expired":0,"stream.closed":0'
    expect(censusJson(nothing)).toBe(
      '{"format":"millrace.census/1","transcripts":{"total":0,"by_dialect":{},"complete":0,"truncated":0,' +
        '"inconsistent":0,"failed":0,"closed":{"completed":0,"budget":0,"killed":0,"error":0,"steer-halt":0}},' +
        '"sessions":0,"subagent_transcripts":0,"human_turns":0,' +
        '"records":{"read":0,"translated":0,"folded":0,"bookkeeping":0,"opaque":0,"unparsed":0,"blank":0},' +
        `"events":{${events}},"tools":{},` +
        '"decisions":{"allowed":0,"denied":0,"replaced":0,"abstained":0,"by_seam":{},"by_decider":{}},' +
        '"permission_denials":0,"warnings":{},"opaque":{},"unparsed":{},"models":{},"subagents":0,"auth_expired":0,' +
        '"rate_limits":{},"bytes":0,"lines":0,"digest":null,"notices":[]}',
    )
  })

  test('keeps any name, in one order', () => {
    const models = requestsByModel([
      { entry: entry({ model: 'm' }), transcript: 0 },
      { entry: entry({ model: 'm' }), transcript: 0 },
      { entry: entry({ model: null }), transcript: 0 },
      { entry: entry({ model: null, scope: 'price', requests: 0 }), transcript: 0 },
    ])
    const json = censusJson({ ...nothing, census: some(), models })
    expect(json).toContain('"tools":{"7":{"offered":0,"withheld":0,"requested":1,')
    expect(json).toMatch(/"7":.*"Bash":.*"__proto__":/)
    expect(json).toContain('"models":{"m":2,"unknown":1}')
    expect(json).toContain('"unparsed":{"truncated":1}')
    expect(json).toContain('"bytes":12345,"lines":900')
  })
})

describe('decisions', () => {
  test('three counts that agree need no word', () => {
    expect(decisionNotices(withDenials(0))).toEqual([])
  })
  test('three counts that differ are said to differ', () => {
    expect(decisionNotices(withDenials(2))).toMatchObject([
      { code: 'decision-counts-differ', message: expect.stringContaining('permission_denials has 2') },
    ])
  })
})

describe('table', () => {
  test('shows what was seen, and nothing of what was not', () => {
    const notices = [{ code: 'odd', path: 'a\u001B.jsonl', line: 3, count: 2, message: 'something' }]
    const text = censusTable({ ...nothing, census: some(), notices }, { width: 80, colour: false })
    expect(text).toContain('transcripts       1\n')
    expect(text).toMatch(/^tools +offered +withheld +requested +results +errors +denied$/m)
    expect(text).toContain('odd (2 times): a\uFFFD.jsonl:3: something\n')
    expect(text).not.toContain('listed by vendors')
    expect(censusTable(nothing, { width: 80, colour: false })).toBe('')
  })
})
