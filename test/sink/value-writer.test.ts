import { describe, expect, test } from 'vitest'
import { RecordFlag } from '../../src/kernel/layout.ts'
import { NONE } from '../../src/kernel/record.ts'
import { Desk } from './desk.ts'
import { noUsage, sessionEnded, sessionStarted, toolResult } from './events.ts'

describe('values of events', () => {
  test('of the record are copied as they are spelled', () => {
    const value = String.raw`{ "a" : "\u0061\/\ud83d\ude00" , "n" : -0 , "big" : 12345678901234567890, "a":1.50 }`
    const desk = new Desk(`{"v":${value}}\n`)
    desk.writer.toolResult({ ...toolResult('c'), content: desk.node('v') })
    expect(desk.text).toContain(`"content":${value},"bytes"`)
    desk.close()
  })

  test('that are no strings are null where text is wanted, absent ones too', () => {
    const desk = new Desk('{"v":5}\n')
    desk.writer.text({ at: desk.node('v'), text: 'x', requestId: desk.node('v') })
    desk.writer.text({ at: null, text: 'x', requestId: NONE })
    desk.writer.usage({
      at: null,
      requestId: null,
      model: null,
      usage: { ...noUsage(), costUsd: desk.node('none') },
    })
    desk.writer.sessionEnded(sessionEnded({ modelUsage: [{ model: desk.node('v'), usage: noUsage() }] }))
    const [first, second, third, fourth] = desk.close()
    expect([first?.['request_id'], second?.['request_id'], first?.['at']]).toEqual([null, null, undefined])
    expect(third).toMatchObject({ usage: { cost_usd: null } })
    expect(Object.keys(Object(fourth?.['model_usage']))).toEqual(['unknown'])
  })

  test('that strict readers would refuse are repaired, and counted where they were', () => {
    const lines = [
      '{"v":"a\\ud83d"}',
      '{"v":[1e400,"\\ude00"]}',
      `{"v":${'['.repeat(125)}${']'.repeat(125)}}`,
      '{"v":1e999}',
    ]
    const bad = Buffer.concat([Buffer.from('{"v":"'), Buffer.from([0xff]), Buffer.from('","w":"\ufffd"}\n')])
    const desk = new Desk(Buffer.concat([Buffer.from(`${lines.join('\n')}\n`), bad]))
    for (let i = 0; i < 5; i++) {
      desk.record(i)
      if (i === 3)
        desk.writer.usage({
          at: null,
          requestId: null,
          model: null,
          usage: { ...noUsage(), costUsd: desk.node('v') },
        })
      else
        desk.writer.toolResult({ ...toolResult('c'), content: desk.node('v'), toolUseResult: desk.node('w') })
      desk.file()
    }
    const contents = desk.close().map((event) => event['content'])
    expect([contents[0], contents[1], contents[4]]).toEqual(['a\ufffd', ['1e400', '\ufffd'], '\ufffd'])
    expect(JSON.stringify(contents[2])).toBe(`${'['.repeat(120)}"[[[[[]]]]]"${']'.repeat(120)}`)
    expect(desk.notices.map(([code, line]) => [code, line])).toEqual([
      ['repaired-surrogates', 1],
      ['repaired-surrogates', 2],
      ['repaired-numbers', 2],
      ['repaired-depths', 3],
      ['repaired-numbers', 4],
      ['repaired-utf8', 5],
    ])
  })

  test('kept from an earlier record are repaired and counted too', () => {
    const desk = new Desk('{"v":"\\ud83d"}\n{"v":"fine"}\n')
    const kept = desk.scanner.view.keep(desk.node('v'))
    desk.file()
    desk.record(1)
    desk.writer.text({ at: null, text: kept, requestId: desk.node('v') })
    desk.file()
    desk.writer.text({ at: null, text: kept, requestId: 'half \ude00' })
    expect(desk.close().map((event) => [event['text'], event['request_id']])).toEqual([
      ['\ufffd', 'fine'],
      ['\ufffd', 'half \ufffd'],
      [undefined, undefined],
    ])
    expect(desk.notices.map(([code, line]) => [code, line])).toEqual([
      ['repaired-surrogates', 2],
      ['repaired-surrogates', null],
      ['repaired-surrogates', null],
    ])
  })

  test('of items of a document are written without their line feeds', () => {
    const desk = new Desk('{"v":\r{"a":\r[1,\t2]},"s":"\\ud83d","t":" x "}\n')
    for (const suspect of [RecordFlag.LoneSurrogate, 0]) {
      desk.scanner.view.flags = RecordFlag.Item | suspect
      const kept = desk.scanner.view.keep(desk.node('v'))
      desk.writer.toolResult({ ...toolResult('c'), content: desk.node('v'), toolUseResult: kept })
      desk.writer.text({ at: null, text: desk.node('t'), requestId: null })
    }
    expect(desk.text.match(/"content":\{"a":\[1,2\]\},/g)).toHaveLength(2)
    expect(desk.text.match(/"tool_use_result":\{"a":\[1,2\]\}\}/g)).toHaveLength(2)
    expect(desk.text.match(/"text":" x "/g)).toHaveLength(2)
    desk.close()
  })

  test('of names that come from others are escaped, whatever is in them', () => {
    const run = 'a"b\\c\n\u2028é\ud83d'
    const desk = new Desk('{}\n', { run, path: 'p"\ud800/\u0001' })
    desk.writer.sessionStarted(sessionStarted())
    const [started, closed] = desk.close()
    expect(started?.['run']).toBe('a"b\\c\n\u2028é\ufffd')
    expect(closed?.['run_id']).toBe('a"b\\c\n\u2028é\ufffd')
    expect(started?.['transcript']).toMatchObject({ path: 'p"\ufffd/\u0001' })
    expect(desk.notices).toHaveLength(2)
  })

  test('of texts of ours are JSON whatever is in them', () => {
    const texts = [
      '',
      'plain',
      'x'.repeat(64),
      'x'.repeat(65),
      '"',
      '\\',
      '\n',
      '\u007f',
      '\u0000',
      'é',
      '😀',
      '\u2028',
    ]
    const desk = new Desk()
    for (const text of texts) desk.writer.text({ at: null, text, requestId: null })
    expect(
      desk
        .close()
        .slice(0, -1)
        .map((event) => event['text']),
    ).toEqual(texts)
  })
})
