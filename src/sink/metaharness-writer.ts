import type * as E from '../event/events.ts'
import type { Sink } from '../event/sink.ts'
import { Bin } from '../event/sink.ts'
import type { Text } from '../event/value.ts'
import type { RecordView } from '../kernel/record.ts'
import * as L from './metaharness-literals.ts'
import { ValueWriter } from './metaharness-values.ts'
import { tellRepairs, wellFormed } from './repair.ts'
import { compactJson, sha256 } from './spelling.ts'
import { type Literal, literal, type Splice } from './splice.ts'

export interface WriterOptions {
  /** Run id on every line. */
  readonly run: string
  /** Path of the transcript as in the manifest, without compression suffix. */
  readonly path: string
  /** Add `source_line` to every event, and `folded_lines` where records were folded in. */
  readonly provenance: boolean
  /** Write an opaque event for bookkeeping and folded records too. */
  readonly opaqueAll: boolean
  /** Told of what had to be changed for strict readers: code, line, message. */
  readonly notice: (code: string, line: number | null, message: string) => void
}

/**
 * The sink that writes `metaharness.event/1`: one strict line an event, keys in upstream's order (spec
 * metaharness-event-1 §1–2).
 */
export class MetaharnessWriter implements Sink {
  readonly takesTalk = true
  readonly takesBills = false
  /** Lines written so far. */
  events = 0
  private out: Splice
  private readonly values: ValueWriter
  private readonly options: WriterOptions
  /** As JSON strings. */
  private readonly runId: string
  private readonly path: string
  /** `,"run":"…"`, once for all lines. */
  private run: Literal
  private current: RecordView
  private wrote = false

  constructor(out: Splice, record: RecordView, options: WriterOptions) {
    this.out = out
    this.values = new ValueWriter(out, record)
    this.current = record
    this.options = options
    // They come from ids and file names of others.
    this.runId = JSON.stringify(wellFormed(options.run, this.values.repairs))
    this.path = JSON.stringify(wellFormed(options.path, this.values.repairs))
    this.run = this.pinRun()
  }

  /** Go on into another splice: that of the next chunk. */
  continueIn(out: Splice): void {
    this.out = out
    this.values.out = out
    this.run = this.pinRun()
  }

  record(record: RecordView): void {
    this.current = record
    this.values.record = record
  }

  file(record: RecordView, bin: Bin): void {
    if (this.options.opaqueAll && (bin === Bin.Bookkeeping || bin === Bin.Folded)) {
      this.opaque({ at: null, vendorType: null, vendorSubtype: null })
    }
    this.countRepairs(record.line)
  }

  sessionStarted(e: E.SessionStarted): void {
    const { out, values } = this
    this.begin(e, L.event('session.started', 'adapter'))
    values.text(e.adapter)
    this.put(`,"adapter_class":"${e.adapterClass}"`)
    this.textField('harness_version', e.harnessVersion)
    this.textField('session_id', e.sessionId)
    this.textField('model', e.model)
    this.textField('permission_mode', e.permissionMode)
    this.textField('credential_source', e.credentialSource)
    this.textField('output_style', e.outputStyle)
    this.textField('cwd', e.cwd)
    out.literal(L.field('offered_tools'))
    values.textList(e.offeredTools)
    if (e.availableOperations !== null) {
      out.literal(L.field('available_operations'))
      values.textList(e.availableOperations)
    }
    out.literal(L.field('withheld'))
    values.list(e.withheld, (item) => {
      this.put('{"tool":')
      values.text(item.tool)
      this.textField('reason', item.reason)
      this.put('}')
    })
    out.literal(L.field('slash_commands'))
    values.textList(e.slashCommands)
    out.literal(L.field('skills'))
    values.textList(e.skills)
    out.literal(L.field('agents'))
    values.textList(e.agents)
    out.literal(L.field('plugins'))
    values.list(e.plugins, (item) => {
      this.put('{"name":')
      values.text(item.name)
      this.textField('source', item.source)
      this.textField('version', item.version)
      this.put('}')
    })
    out.literal(L.field('mcp_servers'))
    values.list(e.mcpServers, (item) => {
      this.put('{"name":')
      values.text(item.name)
      this.textField('status', item.status)
      this.put('}')
    })
    this.textField('inputs_digest', e.inputsDigest)
    out.literal(L.field('transcript'))
    if (e.transcript === null) this.put(`{"path":${this.path},"digest":null,"bytes":null}`)
    else values.json(e.transcript)
    out.literal(L.field('hermetic'))
    if (e.hermetic === null) out.literal(L.RECORDED)
    else values.json(e.hermetic)
    this.end(e)
  }

  sessionEnded(e: E.SessionEnded): void {
    const { out, values } = this
    this.begin(e, L.event('session.ended', 'final_answer'))
    if (e.finalAnswer === null) values.json(null)
    else {
      this.put('{"text":')
      values.text(e.finalAnswer.text)
      this.textField('turn_id', e.finalAnswer.turnId)
      this.put('}')
    }
    out.literal(L.field('observed_models'))
    values.json(e.observedModels)
    out.literal(L.field('is_error'))
    values.bool(e.isError)
    this.textField('subtype', e.subtype)
    this.textField('stop_reason', e.stopReason)
    this.textField('terminal_reason', e.terminalReason)
    this.textField('api_error_status', e.apiErrorStatus)
    this.integerField('num_turns', e.numTurns)
    this.integerField('duration_ms', e.durationMs)
    this.integerField('duration_api_ms', e.durationApiMs)
    this.integerField('ttft_ms', e.ttftMs)
    this.integerField('time_to_request_ms', e.timeToRequestMs)
    out.literal(L.field('total_cost_usd'))
    values.decimal(e.totalCostUsd)
    out.literal(L.field('permission_denials'))
    values.list(e.permissionDenials, (denial) => {
      this.put('{"tool_name":')
      values.text(denial.toolName)
      this.textField('tool_use_id', denial.toolUseId)
      out.literal(L.field('tool_input'))
      values.json(denial.toolInput)
      this.put('}')
    })
    this.integerField('subagents_spawned', e.subagentsSpawned)
    out.literal(L.field('usage'))
    if (e.usage === null) values.json(null)
    else this.usageObject(e.usage)
    out.literal(L.field('model_usage'))
    this.modelUsage(e.modelUsage)
    out.literal(L.field('census'))
    this.census(e.census)
    this.end(e)
  }

  stepEntered(e: E.StepEntered): void {
    this.begin(e, L.STEP_ENTERED)
    this.step(e.step)
    this.textField('frame_digest', e.frameDigest)
    this.end(e)
  }

  stepLeft(e: E.StepLeft): void {
    this.begin(e, L.STEP_LEFT)
    this.step(e.step)
    this.out.literal(L.OUTCOME)
    this.out.literal(L.quoted(e.outcome))
    if (e.outcome !== 'completed') this.textField('reason', e.reason)
    this.out.literal(L.CLOSE)
    this.end(e)
  }

  turnStarted(e: E.TurnStarted): void {
    this.begin(e, L.TURN_STARTED)
    this.values.integer(e.turn)
    this.textField('frame_digest', e.frameDigest)
    this.end(e)
  }

  turnEnded(e: E.TurnEnded): void {
    this.begin(e, L.TURN_ENDED)
    this.values.integer(e.turn)
    this.textField('stop_reason', e.stopReason)
    this.end(e)
  }

  text(e: E.Said): void {
    this.begin(e, L.TEXT)
    this.values.text(e.text)
    this.out.literal(L.REQUEST_ID)
    this.values.text(e.requestId)
    this.end(e)
  }

  thinking(e: E.Said): void {
    this.begin(e, L.THINKING)
    this.values.text(e.text)
    this.out.literal(L.REQUEST_ID)
    this.values.text(e.requestId)
    this.end(e)
  }

  thinkingEstimate(e: E.ThinkingEstimate): void {
    this.begin(e, L.ESTIMATE)
    this.values.integer(e.estimate)
    this.integerField('delta', e.delta)
    this.end(e)
  }

  injection(e: E.Injection): void {
    this.begin(e, L.INJECTION)
    this.values.text(e.text)
    this.out.literal(L.ORIGIN)
    this.values.text(e.origin)
    this.end(e)
  }

  toolRequested(e: E.ToolRequested): void {
    const { out, values } = this
    this.begin(e, L.TOOL_REQUESTED)
    values.text(e.callId)
    out.literal(L.NAME)
    values.text(e.name)
    out.literal(L.INPUT)
    values.json(e.input)
    if (e.operations.length > 0) {
      out.literal(L.OPERATIONS)
      values.textList(e.operations)
    }
    if (e.subjects.length > 0) {
      out.literal(L.SUBJECTS)
      values.textList(e.subjects)
    }
    if (!e.decisionRequired && e.deadlineMs === null && e.seam === 'none') {
      out.literal(L.NOT_DECIDED)
    } else {
      out.literal(L.field('decision_required'))
      values.bool(e.decisionRequired)
      this.integerField('deadline_ms', e.deadlineMs)
      this.wordField('seam', e.seam)
    }
    this.end(e)
  }

  toolDecided(e: E.ToolDecided): void {
    this.begin(e, L.TOOL_DECIDED)
    this.values.text(e.callId)
    this.out.literal(L.DECISION)
    this.out.literal(L.quoted(e.decision))
    if (e.decision === 'deny') this.textField('reason', e.reason)
    if (e.decision === 'replace') {
      this.out.literal(L.INPUT)
      this.values.json(e.input)
    }
    this.out.literal(L.CLOSE)
    this.wordField('decided_by', e.decidedBy)
    this.wordField('seam', e.seam)
    this.integerField('latency_ms', e.latencyMs)
    this.end(e)
  }

  toolResult(e: E.ToolResult): void {
    const { out, values } = this
    if (e.exitCode === null && e.outcomeSource === null) {
      this.begin(e, L.TOOL_RESULT)
    } else {
      this.begin(e, L.TOOL_RESULT_WITH_EXIT)
      values.integer(e.exitCode)
      this.textField('outcome_source', e.outcomeSource)
      out.literal(L.field('call_id'))
    }
    values.text(e.callId)
    out.literal(L.IS_ERROR)
    values.bool(e.isError)
    out.literal(L.CONTENT)
    values.json(e.content)
    out.literal(L.BYTES)
    values.integer(e.bytes)
    out.literal(L.TOOL_USE_RESULT)
    values.json(e.toolUseResult)
    this.end(e)
  }

  usage(e: E.Usage): void {
    this.begin(e, L.USAGE)
    this.values.text(e.requestId)
    this.out.literal(L.MODEL)
    this.values.text(e.model)
    this.out.literal(L.USAGE_OBJECT)
    this.usageObject(e.usage)
    this.end(e)
  }

  rateLimit(e: E.RateLimit): void {
    const { out, values } = this
    this.begin(e, literal(',"event":"rate_limit","info":{"status":'))
    values.text(e.status)
    this.textField('window', e.window)
    this.integerField('resets_at', e.resetsAt)
    out.literal(L.field('utilization'))
    values.decimal(e.utilization)
    out.literal(L.field('using_overage'))
    values.bool(e.usingOverage)
    this.put('}')
    this.end(e)
  }

  commandResult(e: E.CommandResult): void {
    this.begin(e, L.COMMAND_RESULT)
    this.values.text(e.id)
    this.out.literal(L.field('outcome'))
    this.values.json(e.outcome)
    this.end(e)
  }

  warning(e: E.Warning): void {
    this.begin(e, L.WARNING)
    this.values.text(e.code)
    this.textField('message', e.message)
    // Beyond the page: which call was denied, so that reading the stream back counts it for its tool.
    if (e.deniedCall !== undefined && e.deniedCall !== null) this.textField('call_id', e.deniedCall)
    this.end(e)
  }

  opaque(e: E.Opaque): void {
    this.begin(e, L.OPAQUE)
    this.values.text(e.vendorType)
    this.textField('vendor_subtype', e.vendorSubtype)
    this.out.literal(L.DIGEST)
    if (e.digest !== undefined) this.values.text(e.digest)
    else this.put(`"${this.digest(e)}"`)
    this.integerField('source_line', e.sourceLine === undefined ? this.lineOf(e) : e.sourceLine)
    this.endWithoutLine(e)
  }

  authExpired(e: E.AuthExpired): void {
    this.begin(e, L.event('auth.expired', 'credential_source'))
    this.values.text(e.credentialSource)
    this.textField('detail', e.detail)
    this.integerField('source_line', e.sourceLine === undefined ? this.lineOf(e) : e.sourceLine)
    this.endWithoutLine(e)
  }

  streamClosed(e: E.StreamClosed): void {
    const before = this.events
    this.head(null)
    const process = JSON.stringify(e.process ?? { kind: 'unknown' })
    this.put(`,"event":"stream.closed","process":${process},"events":${before},"reason":"${e.reason}"`)
    this.put(`,"run_id":${this.runId}`)
    this.out.literal(L.END)
    this.countRepairs(null)
  }

  system(): void {}
  billed(): void {}
  settled(): void {}
  notice(): void {}

  private pinRun(): Literal {
    return this.out.pin(`,"run":${this.runId}`)
  }

  private begin(e: E.Timed, start: Literal): void {
    this.head(e.at)
    this.out.literal(start)
  }

  private head(at: Text): void {
    const { out } = this
    out.breathe()
    this.events++
    this.wrote = true
    out.literal(L.HEAD)
    out.integer(this.events)
    out.pinned(this.run)
    if (at !== null && (typeof at !== 'number' || this.current.isString(at))) {
      out.literal(L.AT)
      this.values.text(at)
    }
  }

  private end(e: E.Timed): void {
    if (this.options.provenance) {
      this.out.literal(L.SOURCE_LINE)
      this.values.integer(this.lineOf(e))
    }
    this.endWithoutLine(e)
  }

  private endWithoutLine(e: E.Timed): void {
    if (this.options.provenance && e.foldedLines !== undefined && e.foldedLines.length > 0) {
      this.out.literal(L.FOLDED_LINES)
      this.values.integers(e.foldedLines)
    }
    this.out.literal(L.END)
  }

  private lineOf(e: E.Timed): number {
    return e.line ?? this.current.line
  }

  private put(text: string): void {
    this.out.text(text)
  }

  private textField(name: string, value: Text): void {
    this.out.literal(L.field(name))
    this.values.text(value)
  }

  /** @param word of a closed vocabulary */
  private wordField(name: string, word: string): void {
    this.out.literal(L.field(name))
    this.out.literal(L.quoted(word))
  }

  private integerField(name: string, value: number | null): void {
    this.out.literal(L.field(name))
    this.values.integer(value)
  }

  private step(step: E.Step): void {
    this.out.literal(L.STEP)
    this.values.text(step.workflow)
    this.textField('state', step.state)
    this.integerField('index', step.index)
    this.integerField('attempt', step.attempt)
    this.out.literal(L.CLOSE)
  }

  private usageObject(usage: E.UsageFigures): void {
    const { out, values } = this
    out.literal(L.U_INPUT)
    values.integer(usage.inputTokens)
    out.literal(L.U_OUTPUT)
    values.integer(usage.outputTokens)
    out.literal(L.U_READ)
    values.integer(usage.cacheReadInputTokens)
    out.literal(L.U_CREATION)
    values.integer(usage.cacheCreationInputTokens)
    out.literal(L.U_TIER)
    values.text(usage.serviceTier)
    out.literal(L.U_THINKING)
    values.integer(usage.thinkingTokens)
    out.literal(L.U_ITERATIONS)
    values.integer(usage.iterations)
    out.literal(L.U_SPEED)
    values.text(usage.speed)
    out.literal(L.U_COST)
    values.decimal(usage.costUsd)
    out.literal(L.CLOSE)
  }

  private modelUsage(models: E.SessionEnded['modelUsage']): void {
    if (models === null) {
      this.values.json(null)
      return
    }
    let separator = '{'
    for (const { model, usage } of models) {
      this.put(separator)
      this.values.text(
        typeof model === 'number' && !this.current.isString(model) ? UNNAMED : (model ?? UNNAMED),
      )
      this.put(':')
      this.usageObject(usage)
      this.out.breathe()
      separator = ','
    }
    this.put(models.length === 0 ? '{}' : '}')
  }

  private census(census: E.SeamCensus | null): void {
    if (census === null) {
      this.out.literal(L.NONE_DECIDED)
      return
    }
    this.put(
      `{"allowed":${census.allowed},"denied":${census.denied},"replaced":${census.replaced},` +
        `"abstained":${census.abstained},"by_seam":${JSON.stringify(census.bySeam)},` +
        `"by_decider":${JSON.stringify(census.byDecider)}}`,
    )
  }

  private digest(e: E.Opaque): string {
    const record = this.current
    if (record.oversize !== null) return record.oversize.digest
    if (e.block === undefined && record.frame !== null && record.frame.digest !== null)
      return record.frame.digest
    if (e.block !== undefined) return sha256(compactJson(record, e.block, true))
    return sha256(record.bytes.subarray(record.start, record.end))
  }

  private countRepairs(line: number | null): void {
    if (!this.wrote) return
    this.wrote = false
    // Whatever the record at hand is like: a value may have been kept from an earlier one.
    tellRepairs(this.values.repairs, line, this.options.notice)
  }
}

/** The name of a model that nothing names, where a name has to stand. */
const UNNAMED = 'unknown'
