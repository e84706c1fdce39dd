import type * as E from '../event/events.ts'
import type { Sink } from '../event/sink.ts'
import { Bin } from '../event/sink.ts'
import type { Text } from '../event/value.ts'
import type { RecordView } from '../kernel/record.ts'
import { ValueWriter } from './metaharness-values.ts'
import { REPAIR_NOTICES, wellFormed } from './repair.ts'
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

const HEAD = literal('{"format":"metaharness.event/1","seq":')
const AT = literal(',"at":')
const END = literal('}\n')
const SOURCE_LINE = literal(',"source_line":')
const NONE_DECIDED = literal(
  '{"allowed":0,"denied":0,"replaced":0,"abstained":0,"by_seam":{},"by_decider":{}}',
)
const RECORDED = literal(
  '{"mode":"off","decisions":"observe","imposed":[],"unavailable":[],"ambient_inputs":[],"installed_plugins":[]}',
)

/** A field's name in front of its value: `,"name":`. */
const field = remembered((name) => `,"${name}":`)
/** A word of one of our own vocabularies as a string. */
const quoted = remembered((word) => `"${word}"`)

/** The beginning of an event up to its first field. */
function event(name: string, first: string): Literal {
  return literal(`,"event":"${name}","${first}":`)
}

/** Literals by the one word that differs in them: to put a text together costs more than to find it. */
function remembered(spell: (word: string) => string): (word: string) => Literal {
  const known = new Map<string, Literal>()
  return (word) => {
    const before = known.get(word)
    if (before !== undefined) return before
    const made = literal(spell(word))
    known.set(word, made)
    return made
  }
}

/**
 * The sink that writes `metaharness.event/1`: one strict line an event, keys in upstream's order (spec
 * metaharness-event-1 §1–2).
 */
export class MetaharnessWriter implements Sink {
  readonly takesTalk = true
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
    this.begin(e, event('session.started', 'adapter'))
    values.text(e.adapter)
    this.put(`,"adapter_class":"${e.adapterClass}"`)
    this.textField('harness_version', e.harnessVersion)
    this.textField('session_id', e.sessionId)
    this.textField('model', e.model)
    this.textField('permission_mode', e.permissionMode)
    this.textField('credential_source', e.credentialSource)
    this.textField('output_style', e.outputStyle)
    this.textField('cwd', e.cwd)
    out.literal(field('offered_tools'))
    values.textList(e.offeredTools)
    if (e.availableOperations !== null) {
      out.literal(field('available_operations'))
      values.textList(e.availableOperations)
    }
    out.literal(field('withheld'))
    values.list(e.withheld, (item) => {
      this.put('{"tool":')
      values.text(item.tool)
      this.textField('reason', item.reason)
      this.put('}')
    })
    out.literal(field('slash_commands'))
    values.textList(e.slashCommands)
    out.literal(field('skills'))
    values.textList(e.skills)
    out.literal(field('agents'))
    values.textList(e.agents)
    out.literal(field('plugins'))
    values.list(e.plugins, (item) => {
      this.put('{"name":')
      values.text(item.name)
      this.textField('source', item.source)
      this.textField('version', item.version)
      this.put('}')
    })
    out.literal(field('mcp_servers'))
    values.list(e.mcpServers, (item) => {
      this.put('{"name":')
      values.text(item.name)
      this.textField('status', item.status)
      this.put('}')
    })
    this.textField('inputs_digest', e.inputsDigest)
    out.literal(field('transcript'))
    if (e.transcript === null) this.put(`{"path":${this.path},"digest":null,"bytes":null}`)
    else values.json(e.transcript)
    out.literal(field('hermetic'))
    if (e.hermetic === null) out.literal(RECORDED)
    else values.json(e.hermetic)
    this.end(e)
  }

  sessionEnded(e: E.SessionEnded): void {
    const { out, values } = this
    this.begin(e, event('session.ended', 'final_answer'))
    if (e.finalAnswer === null) values.json(null)
    else {
      this.put('{"text":')
      values.text(e.finalAnswer.text)
      this.textField('turn_id', e.finalAnswer.turnId)
      this.put('}')
    }
    out.literal(field('observed_models'))
    values.json(e.observedModels)
    out.literal(field('is_error'))
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
    out.literal(field('total_cost_usd'))
    values.decimal(e.totalCostUsd)
    out.literal(field('permission_denials'))
    values.list(e.permissionDenials, (denial) => {
      this.put('{"tool_name":')
      values.text(denial.toolName)
      this.textField('tool_use_id', denial.toolUseId)
      out.literal(field('tool_input'))
      values.json(denial.toolInput)
      this.put('}')
    })
    this.integerField('subagents_spawned', e.subagentsSpawned)
    out.literal(field('usage'))
    if (e.usage === null) values.json(null)
    else this.usageObject(e.usage)
    out.literal(field('model_usage'))
    this.modelUsage(e.modelUsage)
    out.literal(field('census'))
    this.census(e.census)
    this.end(e)
  }

  stepEntered(e: E.StepEntered): void {
    this.begin(e, STEP_ENTERED)
    this.step(e.step)
    this.textField('frame_digest', e.frameDigest)
    this.end(e)
  }

  stepLeft(e: E.StepLeft): void {
    this.begin(e, STEP_LEFT)
    this.step(e.step)
    this.out.literal(OUTCOME)
    this.out.literal(quoted(e.outcome))
    if (e.outcome !== 'completed') this.textField('reason', e.reason)
    this.out.literal(CLOSE)
    this.end(e)
  }

  turnStarted(e: E.TurnStarted): void {
    this.begin(e, TURN_STARTED)
    this.values.integer(e.turn)
    this.textField('frame_digest', e.frameDigest)
    this.end(e)
  }

  turnEnded(e: E.TurnEnded): void {
    this.begin(e, TURN_ENDED)
    this.values.integer(e.turn)
    this.textField('stop_reason', e.stopReason)
    this.end(e)
  }

  text(e: E.Said): void {
    this.begin(e, TEXT)
    this.values.text(e.text)
    this.out.literal(REQUEST_ID)
    this.values.text(e.requestId)
    this.end(e)
  }

  thinking(e: E.Said): void {
    this.begin(e, THINKING)
    this.values.text(e.text)
    this.out.literal(REQUEST_ID)
    this.values.text(e.requestId)
    this.end(e)
  }

  thinkingEstimate(e: E.ThinkingEstimate): void {
    this.begin(e, ESTIMATE)
    this.values.integer(e.estimate)
    this.integerField('delta', e.delta)
    this.end(e)
  }

  injection(e: E.Injection): void {
    this.begin(e, INJECTION)
    this.values.text(e.text)
    this.out.literal(ORIGIN)
    this.values.text(e.origin)
    this.end(e)
  }

  toolRequested(e: E.ToolRequested): void {
    const { out, values } = this
    this.begin(e, TOOL_REQUESTED)
    values.text(e.callId)
    out.literal(NAME)
    values.text(e.name)
    out.literal(INPUT)
    values.json(e.input)
    if (e.operations.length > 0) {
      out.literal(OPERATIONS)
      values.textList(e.operations)
    }
    if (e.subjects.length > 0) {
      out.literal(SUBJECTS)
      values.textList(e.subjects)
    }
    if (!e.decisionRequired && e.deadlineMs === null && e.seam === 'none') {
      out.literal(NOT_DECIDED)
    } else {
      out.literal(field('decision_required'))
      values.bool(e.decisionRequired)
      this.integerField('deadline_ms', e.deadlineMs)
      this.wordField('seam', e.seam)
    }
    this.end(e)
  }

  toolDecided(e: E.ToolDecided): void {
    this.begin(e, TOOL_DECIDED)
    this.values.text(e.callId)
    this.out.literal(DECISION)
    this.out.literal(quoted(e.decision))
    if (e.decision === 'deny') this.textField('reason', e.reason)
    if (e.decision === 'replace') {
      this.out.literal(INPUT)
      this.values.json(e.input)
    }
    this.out.literal(CLOSE)
    this.wordField('decided_by', e.decidedBy)
    this.wordField('seam', e.seam)
    this.integerField('latency_ms', e.latencyMs)
    this.end(e)
  }

  toolResult(e: E.ToolResult): void {
    const { out, values } = this
    if (e.exitCode === null && e.outcomeSource === null) {
      this.begin(e, TOOL_RESULT)
    } else {
      this.begin(e, TOOL_RESULT_WITH_EXIT)
      values.integer(e.exitCode)
      this.textField('outcome_source', e.outcomeSource)
      out.literal(field('call_id'))
    }
    values.text(e.callId)
    out.literal(IS_ERROR)
    values.bool(e.isError)
    out.literal(CONTENT)
    values.json(e.content)
    out.literal(BYTES)
    values.integer(e.bytes)
    out.literal(TOOL_USE_RESULT)
    values.json(e.toolUseResult)
    this.end(e)
  }

  usage(e: E.Usage): void {
    this.begin(e, USAGE)
    this.values.text(e.requestId)
    this.out.literal(MODEL)
    this.values.text(e.model)
    this.out.literal(USAGE_OBJECT)
    this.usageObject(e.usage)
    this.end(e)
  }

  rateLimit(e: E.RateLimit): void {
    const { out, values } = this
    this.begin(e, literal(',"event":"rate_limit","info":{"status":'))
    values.text(e.status)
    this.textField('window', e.window)
    this.integerField('resets_at', e.resetsAt)
    out.literal(field('utilization'))
    values.decimal(e.utilization)
    out.literal(field('using_overage'))
    values.bool(e.usingOverage)
    this.put('}')
    this.end(e)
  }

  commandResult(e: E.CommandResult): void {
    this.begin(e, COMMAND_RESULT)
    this.values.text(e.id)
    this.out.literal(field('outcome'))
    this.values.json(e.outcome)
    this.end(e)
  }

  warning(e: E.Warning): void {
    this.begin(e, WARNING)
    this.values.text(e.code)
    this.textField('message', e.message)
    // Beyond the page: which call was denied, so that reading the stream back counts it for its tool.
    if (e.deniedCall !== undefined && e.deniedCall !== null) this.textField('call_id', e.deniedCall)
    this.end(e)
  }

  opaque(e: E.Opaque): void {
    this.begin(e, OPAQUE)
    this.values.text(e.vendorType)
    this.textField('vendor_subtype', e.vendorSubtype)
    this.out.literal(DIGEST)
    if (e.digest !== undefined) this.values.text(e.digest)
    else this.put(`"${this.digest(e)}"`)
    this.integerField('source_line', e.sourceLine === undefined ? this.lineOf(e) : e.sourceLine)
    this.endWithoutLine(e)
  }

  authExpired(e: E.AuthExpired): void {
    this.begin(e, event('auth.expired', 'credential_source'))
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
    this.out.literal(END)
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
    out.literal(HEAD)
    out.integer(this.events)
    out.pinned(this.run)
    if (at !== null && (typeof at !== 'number' || this.current.isString(at))) {
      out.literal(AT)
      this.values.text(at)
    }
  }

  private end(e: E.Timed): void {
    if (this.options.provenance) {
      this.out.literal(SOURCE_LINE)
      this.values.integer(this.lineOf(e))
    }
    this.endWithoutLine(e)
  }

  private endWithoutLine(e: E.Timed): void {
    if (this.options.provenance && e.foldedLines !== undefined && e.foldedLines.length > 0) {
      this.put(`,"folded_lines":[${e.foldedLines.join(',')}]`)
    }
    this.out.literal(END)
  }

  private lineOf(e: E.Timed): number {
    return e.line ?? this.current.line
  }

  private put(text: string): void {
    this.out.text(text)
  }

  private textField(name: string, value: Text): void {
    this.out.literal(field(name))
    this.values.text(value)
  }

  /** @param word of a closed vocabulary */
  private wordField(name: string, word: string): void {
    this.out.literal(field(name))
    this.out.literal(quoted(word))
  }

  private integerField(name: string, value: number | null): void {
    this.out.literal(field(name))
    this.values.integer(value)
  }

  private step(step: E.Step): void {
    this.out.literal(STEP)
    this.values.text(step.workflow)
    this.textField('state', step.state)
    this.integerField('index', step.index)
    this.integerField('attempt', step.attempt)
    this.out.literal(CLOSE)
  }

  private usageObject(usage: E.UsageFigures): void {
    const { out, values } = this
    out.literal(U_INPUT)
    values.integer(usage.inputTokens)
    out.literal(U_OUTPUT)
    values.integer(usage.outputTokens)
    out.literal(U_READ)
    values.integer(usage.cacheReadInputTokens)
    out.literal(U_CREATION)
    values.integer(usage.cacheCreationInputTokens)
    out.literal(U_TIER)
    values.text(usage.serviceTier)
    out.literal(U_THINKING)
    values.integer(usage.thinkingTokens)
    out.literal(U_ITERATIONS)
    values.integer(usage.iterations)
    out.literal(U_SPEED)
    values.text(usage.speed)
    out.literal(U_COST)
    values.decimal(usage.costUsd)
    out.literal(CLOSE)
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
      this.out.literal(NONE_DECIDED)
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
    const { repairs } = this.values
    for (const [kind, message] of REPAIR_NOTICES) {
      for (; repairs[kind] > 0; repairs[kind]--) this.options.notice(`repaired-${kind}`, line, message)
    }
  }
}

/** The name of a model that nothing names, where a name has to stand. */
const UNNAMED = 'unknown'

const CLOSE = literal('}')
const TURN_STARTED = event('turn.started', 'turn')
const TURN_ENDED = event('turn.ended', 'turn')
const STEP_ENTERED = literal(',"event":"step.entered"')
const STEP_LEFT = literal(',"event":"step.left"')
const STEP = literal(',"step":{"workflow":')
const OUTCOME = literal(',"outcome":{"outcome":')
const ESTIMATE = event('thinking.estimate', 'estimate')
const TOOL_DECIDED = event('tool.decided', 'call_id')
const DECISION = literal(',"decision":{"decision":')
const TOOL_RESULT_WITH_EXIT = event('tool.result', 'exit_code')
const COMMAND_RESULT = event('command.result', 'id')
const WARNING = event('warning', 'code')
const OPAQUE = event('opaque', 'vendor_type')
const DIGEST = field('digest')
const TEXT = event('text', 'text')
const THINKING = event('thinking', 'text')
const INJECTION = event('injection', 'text')
const TOOL_REQUESTED = event('tool.requested', 'call_id')
const TOOL_RESULT = literal(',"event":"tool.result","exit_code":null,"outcome_source":null,"call_id":')
const USAGE = event('usage', 'request_id')
const REQUEST_ID = field('request_id')
const ORIGIN = field('origin')
const NAME = field('name')
const INPUT = field('input')
const OPERATIONS = field('operations')
const SUBJECTS = field('subjects')
const NOT_DECIDED = literal(',"decision_required":false,"deadline_ms":null,"seam":"none"')
const IS_ERROR = field('is_error')
const CONTENT = field('content')
const BYTES = field('bytes')
const TOOL_USE_RESULT = field('tool_use_result')
const MODEL = field('model')
const USAGE_OBJECT = field('usage')
const U_INPUT = literal('{"input_tokens":')
const U_OUTPUT = field('output_tokens')
const U_READ = field('cache_read_input_tokens')
const U_CREATION = field('cache_creation_input_tokens')
const U_TIER = field('service_tier')
const U_THINKING = field('thinking_tokens')
const U_ITERATIONS = field('iterations')
const U_SPEED = field('speed')
const U_COST = field('cost_usd')
