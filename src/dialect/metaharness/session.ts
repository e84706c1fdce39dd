import type { Denial, SeamCensus } from '../../event/events.ts'
import { keys } from '../../kernel/key.ts'
import { type Node, NONE, type RecordView } from '../../kernel/record.ts'
import { sessionEnd, sessionStart } from '../session-events.ts'
import { children, jsonAt, textAt, textsAt } from '../values.ts'
import { beginProcess, endProcess } from './books.ts'
import { reasonAt } from './closing.ts'
import { digestAt, type Line, wholeAt } from './line.ts'
import { readModels, readUsage } from './figures.ts'
import { census as censusShape, CLASSES, hermetic as hermeticShape } from './vocabulary.ts'

const K = keys(
  'abstained',
  'adapter',
  'adapter_class',
  'agents',
  'allowed',
  'api_error_status',
  'available_operations',
  'by_decider',
  'by_seam',
  'census',
  'credential_source',
  'cwd',
  'denied',
  'duration_api_ms',
  'duration_ms',
  'final_answer',
  'harness_version',
  'hermetic',
  'inputs_digest',
  'is_error',
  'mcp_servers',
  'model',
  'model_usage',
  'name',
  'num_turns',
  'observed_models',
  'offered_tools',
  'output_style',
  'permission_denials',
  'permission_mode',
  'plugins',
  'reason',
  'replaced',
  'run',
  'session_id',
  'skills',
  'slash_commands',
  'source',
  'status',
  'stop_reason',
  'subagents_spawned',
  'subtype',
  'terminal_reason',
  'text',
  'time_to_request_ms',
  'tool',
  'tool_input',
  'tool_name',
  'tool_use_id',
  'total_cost_usd',
  'transcript',
  'ttft_ms',
  'turn_id',
  'usage',
  'version',
  'withheld',
)

export function sessionStarted(line: Line): void {
  const { record, root, at, state, sink } = line
  const text = (name: keyof typeof K): Node | null => textAt(record, record.get(root, K[name]))
  const texts = (name: keyof typeof K) => textsAt(record, record.get(root, K[name]))
  const hermetic = record.get(root, K.hermetic)
  state.ended = null
  beginProcess(state.books, {
    adapter: record.word(record.get(root, K.adapter)),
    session: record.text(record.get(root, K.session_id)),
    model: record.word(record.get(root, K.model)),
  })
  const started = sessionStart(text('adapter'), {
    at,
    adapterClass: CLASSES.at(record, record.get(root, K.adapter_class)) ?? 'harness',
    harnessVersion: text('harness_version'),
    sessionId: text('session_id'),
    model: text('model'),
    permissionMode: text('permission_mode'),
    credentialSource: text('credential_source'),
    outputStyle: text('output_style'),
    cwd: text('cwd'),
    offeredTools: texts('offered_tools'),
    availableOperations: texts('available_operations'),
    withheld: listAt(record, record.get(root, K.withheld), (item) => ({
      tool: textAt(record, record.get(item, K.tool)),
      reason: textAt(record, record.get(item, K.reason)),
    })),
    slashCommands: texts('slash_commands'),
    skills: texts('skills'),
    agents: texts('agents'),
    plugins: listAt(record, record.get(root, K.plugins), (item) => ({
      name: textAt(record, record.get(item, K.name)),
      source: textAt(record, record.get(item, K.source)),
      version: textAt(record, record.get(item, K.version)),
    })),
    mcpServers: listAt(record, record.get(root, K.mcp_servers), (item) => ({
      name: textAt(record, record.get(item, K.name)),
      status: textAt(record, record.get(item, K.status)),
    })),
    inputsDigest: digestAt(line, record.get(root, K.inputs_digest)),
    transcript: jsonAt(record.get(root, K.transcript)),
    // Of a claim that is only half there, ours takes the place.
    hermetic: hermeticShape(record, hermetic, false) === null ? jsonAt(hermetic) : null,
    // The run of a subagent's transcript is that of its session and its own (design §5.1).
    subagent: isOfSubagent(record.text(record.get(root, K.run)), record.text(record.get(root, K.session_id))),
  })
  sink.sessionStarted(started)
}

function isOfSubagent(run: string | null, session: string | null): boolean {
  return run !== null && session !== null && run.startsWith(`${session}/`)
}

export function sessionEnded({ record, root, at, state, sink }: Line): void {
  const text = (name: keyof typeof K): Node | null => textAt(record, record.get(root, K[name]))
  const whole = (name: keyof typeof K): number | null => wholeAt(record, record.get(root, K[name]))
  const answer = record.get(root, K.final_answer)
  const observed = record.get(root, K.observed_models)
  const cost = record.get(root, K.total_cost_usd)
  const usageNode = record.get(root, K.usage)
  const usage = record.isObject(usageNode) ? readUsage(record, usageNode, sink) : null
  const models = readModels(record, record.get(root, K.model_usage), sink)
  const ended = sessionEnd({
    at,
    finalAnswer: record.isObject(answer)
      ? {
          text: textAt(record, record.get(answer, K.text)),
          turnId: textAt(record, record.get(answer, K.turn_id)),
        }
      : null,
    observedModels: record.isNullish(observed) ? null : observed,
    isError: record.bool(record.get(root, K.is_error)),
    subtype: text('subtype'),
    stopReason: text('stop_reason'),
    terminalReason: text('terminal_reason'),
    apiErrorStatus: text('api_error_status'),
    numTurns: whole('num_turns'),
    durationMs: whole('duration_ms'),
    durationApiMs: whole('duration_api_ms'),
    ttftMs: whole('ttft_ms'),
    timeToRequestMs: whole('time_to_request_ms'),
    totalCostUsd: record.isNullish(cost) ? null : cost,
    permissionDenials: listAt(record, record.get(root, K.permission_denials), (item): Denial => ({
      toolName: textAt(record, record.get(item, K.tool_name)),
      toolUseId: textAt(record, record.get(item, K.tool_use_id)),
      toolInput: jsonAt(record.get(item, K.tool_input)),
    })),
    subagentsSpawned: whole('subagents_spawned'),
    usage: usage?.figures ?? null,
    modelUsage:
      models === null ? null : Array.from(models, ([model, { figures }]) => ({ model, usage: figures })),
    census: censusAt(record, record.get(root, K.census)),
  })
  sink.sessionEnded(ended)
  state.ended = reasonAt(record, root)
  endProcess(state.books, record, { at, usage, models, cost }, sink)
}

function listAt<T>(record: RecordView, node: Node, read: (item: Node) => T): T[] | null {
  return record.isArray(node) ? children(record, node, read) : null
}

function censusAt(record: RecordView, node: Node): SeamCensus | null {
  if (censusShape(record, node, false) !== null) return null
  const whole = (name: keyof typeof K): number => wholeAt(record, record.get(node, K[name])) ?? 0
  return {
    allowed: whole('allowed'),
    denied: whole('denied'),
    replaced: whole('replaced'),
    abstained: whole('abstained'),
    bySeam: countsAt(record, record.get(node, K.by_seam)),
    byDecider: countsAt(record, record.get(node, K.by_decider)),
  }
}

/** Keys are words of a closed list (see the shape), so none of them is special to JavaScript. */
function countsAt(record: RecordView, node: Node): Record<string, number> {
  const counts: Record<string, number> = {}
  for (let child = record.first(node); child !== NONE; child = record.next(child)) {
    counts[record.key(child)] = wholeAt(record, child) ?? 0
  }
  return counts
}
