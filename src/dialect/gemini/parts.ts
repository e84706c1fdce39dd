import type { Sink } from '../../event/sink.ts'
import type { Text } from '../../event/value.ts'
import { keys } from '../../kernel/key.ts'
import { NONE, type Node, type RecordView } from '../../kernel/record.ts'
import { Shape } from '../../kernel/shape.ts'
import { firstOf } from '../values.ts'

const PART = new Shape('text', 'thought', 'functionCall', 'functionResponse')
const K = keys('functionResponse', 'response', 'output', 'error')

/** What is done with each kind of part of a content. Each says how many events it wrote. */
export interface PartReader {
  text(text: Node): number
  thought(text: Node): number
  call(call: Node): number
  response(response: Node): number
}

/**
 * Read the content of a message in the shape of the Gemini API: a string, a part, or a list of both. What is none of
 * the known parts (images, files, code that the API ran) becomes opaque by itself.
 *
 * @returns how many events were written
 */
export function readContent(
  record: RecordView,
  content: Node,
  at: Text,
  vendorType: Text,
  reader: PartReader,
  sink: Sink,
): number {
  if (record.isNullish(content)) return 0
  if (!record.isArray(content)) return readPart(record, content, at, vendorType, reader, sink)
  let written = 0
  for (let part = record.first(content); part !== NONE; part = record.next(part)) {
    written += readPart(record, part, at, vendorType, reader, sink)
  }
  return written
}

function readPart(
  record: RecordView,
  part: Node,
  at: Text,
  vendorType: Text,
  reader: PartReader,
  sink: Sink,
): number {
  if (record.isString(part)) return isEmpty(record, part) ? 0 : reader.text(part)
  const { text, thought, functionCall, functionResponse } = PART.read(record, part)
  if (record.isString(text)) {
    if (isEmpty(record, text)) return 0
    return record.bool(thought) === true ? reader.thought(text) : reader.text(text)
  }
  if (record.isObject(functionCall)) return reader.call(functionCall)
  if (record.isObject(functionResponse)) return reader.response(functionResponse)
  const first = record.first(part)
  const subtype = record.isObject(part) && first !== NONE ? record.key(first) : null
  sink.opaque({ at, vendorType, vendorSubtype: subtype, block: part })
  return 1
}

/**
 * What a tool answered: the text of `response.output` or `response.error`, when there is nothing but that; else the
 * whole value.
 *
 * @param answer a `functionResponse`, or a list of parts that holds one
 */
export function answerIn(
  record: RecordView,
  answer: Node,
): { readonly content: Node; readonly isError: boolean } {
  let response = record.get(answer, K.response)
  if (record.isArray(answer)) {
    const only = firstOf(record, answer)
    if (only !== NONE && record.next(only) === NONE) {
      response = record.get(record.get(only, K.functionResponse), K.response)
    }
  }
  const output = record.get(response, K.output)
  const error = record.get(response, K.error)
  if (record.isString(error) && output === NONE) return { content: error, isError: true }
  if (record.isString(output) && error === NONE) return { content: output, isError: false }
  const content = record.isArray(answer) || response === NONE ? answer : response
  return { content: record.isNullish(content) ? NONE : content, isError: !record.isNullish(error) }
}

/** The words of a content, joined; for messages of the harness itself. */
export function wordsIn(record: RecordView, content: Node): string {
  if (record.isString(content)) return record.text(content) ?? ''
  const words: string[] = []
  for (let part = firstOf(record, content); part !== NONE; part = record.next(part)) {
    const text = record.text(part) ?? record.text(PART.read(record, part).text)
    if (text !== null) words.push(text)
  }
  return words.join('\n')
}

function isEmpty(record: RecordView, text: Node): boolean {
  return record.rawBytes(text) === 2
}
