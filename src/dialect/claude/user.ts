import { Bin, type Sink } from '../../event/sink.ts'
import type { Text } from '../../event/value.ts'
import { keys } from '../../kernel/key.ts'
import { NONE, type Node, type RecordView } from '../../kernel/record.ts'
import { textAt } from '../values.ts'
import { type Block, readBlock, toolResult } from './blocks.ts'
import { warnOfDenial } from './denial.ts'
import { originOf } from './origin.ts'
import { firstItem } from './fields.ts'

const { toolDenialKind: DENIAL_KIND, sourceToolUseID: SOURCE_TOOL_USE } = keys(
  'toolDenialKind',
  'sourceToolUseID',
)

/** The parts of a `user` record in which the two Claude dialects differ. */
export interface UserLine {
  readonly at: Text
  /** Spoken inside a subagent, where the parent agent takes the user's place. */
  readonly ofSubagent: boolean
  /** The record-level structured result, or `NONE`. */
  readonly toolUseResult: Node
}

/** A `user` record: injections for what was said, results of calls, and a warning for each denied one. */
export function userRecord(
  record: RecordView,
  content: Node,
  line: UserLine,
  denied: string[],
  sink: Sink,
): Bin {
  if (record.isString(content)) {
    inject(record, content, line, sink)
    return Bin.Translated
  }
  for (let block = firstItem(record, content); block !== NONE; block = record.next(block)) {
    const fields = readBlock(record, block)
    const type = record.word(fields.type)
    if (type === 'tool_result') result(record, fields, line, denied, sink)
    else if (type === 'text' && record.isString(fields.text)) inject(record, fields.text, line, sink)
    else sink.opaque({ at: line.at, vendorType: 'user', vendorSubtype: textAt(record, fields.type), block })
  }
  return Bin.Translated
}

function inject(record: RecordView, text: Node, line: UserLine, sink: Sink): void {
  if (!sink.takesTalk) return
  const origin = originOf(record, record.root, text, line.ofSubagent)
  sink.injection({ at: line.at, text, origin })
}

function result(record: RecordView, block: Block, line: UserLine, denied: string[], sink: Sink): void {
  const { root } = record
  const { content } = block
  // Some records name the call beside the message only.
  const callId = textAt(record, block.tool_use_id) ?? textAt(record, record.get(root, SOURCE_TOOL_USE)) ?? ''
  const isError = record.bool(block.is_error)
  toolResult(record, callId, content, isError, line.toolUseResult, line.at, sink)
  if (isError !== true) return
  warnOfDenial(record, record.get(root, DENIAL_KIND), content, callId, line.at, denied, sink)
}
