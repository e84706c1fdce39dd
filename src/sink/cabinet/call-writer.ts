import type { ToolRequested, ToolResult } from '../../event/events.ts'
import type { Text } from '../../event/value.ts'
import { NONE, type Node, type RecordView } from '../../kernel/record.ts'
import { textIn, wordIn } from '../words.ts'
import { NAMES, unlistedOperation } from './argument-names.ts'
import { argumentsOf } from './call-arguments.ts'
import type { Surroundings } from './call.ts'
import { stepsOf } from './classify.ts'
import type { EventClock } from './clock.ts'
import { type HeldCall, HeldCalls } from './held-calls.ts'
import type { LineWriter } from './line-writer.ts'
import { isLaunchOnly, outcomeOf, shownFile } from './outcome.ts'
import { pieceOf } from './piece.ts'
import { rawCall, rawValue, UNKNOWN } from './raw.ts'
import { StepWriter, type Subagent } from './step-writer.ts'
import { fileStep, type Step } from './step.ts'

/** Slug of events that are read back, where a call is one record. */
const READ_BACK = 'test-cabinet'

interface Start {
  readonly id: string
  readonly step: Subagent
  readonly at: Text
}

/** What is written around calls, and by whom. */
export interface CallSettings {
  readonly shell: Surroundings['shell']
  /** What a tool does, by harness and name: for streams that were written without it. */
  readonly operationsOf: (harness: string | null, tool: string | null) => readonly string[]
  /** Write the head of a line, behind all that comes before it. A null time is the last that was seen. */
  readonly begin: (at: Text) => void
  readonly notice: (code: string, message: string) => void
}

/**
 * The events of calls: one a call, written when its result arrives. A call is understood when it is made, what it comes to
 * is held as plain data, and its outcome is added. A call that is not understood is written at once, as `unknown`, and
 * its result adds nothing.
 *
 * `isRecord` says of each event that a record is being translated: then its nodes are pieces of that record.
 */
export class CallWriter {
  private readonly lines: LineWriter
  private readonly steps: StepWriter
  private readonly clock: EventClock
  private readonly settings: CallSettings
  private readonly held = new HeldCalls()
  private around: Surroundings
  /** Id of the call of this record, when it is told whole by one record and no result came with it. */
  private unanswered: string | null = null
  /** Subagents that begin in this record, until that is written. */
  private starts: Start[] = []

  constructor(lines: LineWriter, clock: EventClock, settings: CallSettings) {
    this.lines = lines
    this.clock = clock
    this.steps = new StepWriter(lines)
    this.settings = settings
    this.around = { harness: null, workingDirectory: null, shell: settings.shell }
  }

  /** A session begins: what its calls have in common. */
  ofSession(harness: string | null, workingDirectory: string | null): void {
    // Events that are read back were classified by whoever wrote them.
    const shell = harness === READ_BACK ? 'command' : this.settings.shell
    this.around = { harness, workingDirectory, shell }
  }

  request(e: ToolRequested, at: Text, record: RecordView, isRecord: boolean): void {
    const { around } = this
    const id = textIn(record, e.callId) ?? ''
    const tool = wordIn(record, e.name)
    const given = argumentsOf(record, e.input)
    // The tool behind another tool has its arguments there.
    const input = (tool === 'tool_invoke' ? given.inner(NAMES.inner) : null) ?? given
    const operations = this.operations(words(e.operations, record), tool)
    const steps = stepsOf({ id, tool, operations, input, subjects: () => words(e.subjects, record) }, around)
    if (steps === null) this.unknownCall(e, at, record, isRecord)
    else this.noteStarts(id, steps, at, isRecord)
    if (around.harness === READ_BACK && steps?.some(({ type }) => type === 'subagent') === false)
      this.unanswered = id
    const dropped = this.held.hold(id, steps ?? [], at === null ? null : textIn(record, at))
    if (dropped.length === 0) return
    this.settings.notice(
      'open-calls-written',
      'calls without a result were too many to be held: the oldest were written without one',
    )
    for (const call of dropped) this.writeOpen(call)
  }

  result(e: ToolResult, at: Text, record: RecordView, isRecord: boolean): void {
    const id = textIn(record, e.callId) ?? ''
    const call = this.held.take(id)
    if (id === this.unanswered) this.unanswered = null
    if (this.starts.length > 0) this.starts = this.starts.filter((start) => start.id !== id)
    const piece = isRecord ? pieceOf(record, [e.callId, e.content]) : NONE
    if (call === null) {
      this.orphan(e, at, piece, record, isRecord)
      return
    }
    if (call.steps.length === 0) return
    const outcome = outcomeOf(record, e, piece, this.around.harness)
    for (const step of call.steps) {
      if (step.type === 'subagent' && !step.background && isRecord && isLaunchOnly(record, e)) continue
      this.settings.begin(at)
      this.steps.write(step, outcome)
    }
  }

  /**
   * A subagent that is waited for is told of twice: when it begins, and when it is done; but once when both are told by
   * one record.
   */
  writeStarts(): void {
    const { starts } = this
    if (starts.length === 0) return
    this.starts = []
    for (const { step, at } of starts) {
      this.lines.begin(at ?? this.clock.now())
      this.steps.subagent('subagent_started', step, null)
    }
  }

  /** A call that its record tells whole, but for how it came out, is not waited for. */
  writeUnanswered(): void {
    if (this.unanswered === null) return
    const call = this.held.take(this.unanswered)
    this.unanswered = null
    if (call !== null) this.writeOpen(call)
  }

  /** All calls whose result never came, in their order. */
  writeAllOpen(): void {
    for (const call of this.held.takeAll()) this.writeOpen(call)
  }

  private noteStarts(id: string, steps: readonly Step[], at: Text, isRecord: boolean): void {
    for (const step of steps)
      if (step.type === 'subagent' && !step.background) this.starts.push({ id, step, at })
    if (!isRecord) this.writeStarts()
  }

  private operations(told: readonly string[], tool: string | null): readonly string[] {
    if (told.length > 0) return told
    const { harness } = this.around
    const unlisted = unlistedOperation(harness, tool)
    return unlisted === null ? this.settings.operationsOf(harness, tool) : [unlisted]
  }

  /** A call of which is not known what it does. */
  private unknownCall(e: ToolRequested, at: Text, record: RecordView, isRecord: boolean): void {
    this.settings.begin(at)
    this.lines.out.literal(UNKNOWN)
    if (isRecord) rawValue(this.lines, record, pieceOf(record, [e.callId, e.name, e.input]))
    else rawCall(this.lines, e.callId, e.name, e.input)
    this.lines.end()
  }

  /** A result whose call is not known: of a read that says which file it shows, that read. */
  private orphan(e: ToolResult, at: Text, piece: Node, record: RecordView, isRecord: boolean): void {
    const file = isRecord ? shownFile(record, e, piece) : null
    this.settings.begin(at)
    if (file !== null) {
      this.steps.write(fileStep('read', file.path, file), outcomeOf(record, e, piece, this.around.harness))
      return
    }
    this.lines.out.literal(UNKNOWN)
    if (isRecord) rawValue(this.lines, record, piece)
    else rawCall(this.lines, e.callId, null, e.content)
    this.lines.end()
  }

  /** A call whose result never came. */
  private writeOpen({ steps, at }: HeldCall): void {
    for (const step of steps) {
      if (step.type === 'subagent' && !step.background) continue
      this.settings.begin(at)
      this.steps.write(step, { success: null, exitCode: null })
    }
  }
}

function words(texts: readonly Text[], record: RecordView): string[] {
  return texts.map((text) => wordIn(record, text)).filter((word) => word !== null)
}
