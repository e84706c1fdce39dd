import type { SessionEnded, SessionStarted } from '../../event/events.ts'
import type { FieldWriter } from './fields.ts'
import * as L from './literals.ts'

export const SESSION_STARTED = L.event('session.started', 'adapter')
export const SESSION_ENDED = L.event('session.ended', 'final_answer')

/** The fields of `session.started` behind its name. @param path of the transcript, as a JSON string */
export function putSessionStarted(fields: FieldWriter, e: SessionStarted, path: string): void {
  const { out, values } = fields
  values.text(e.adapter)
  fields.put(`,"adapter_class":"${e.adapterClass}"`)
  fields.textField('harness_version', e.harnessVersion)
  fields.textField('session_id', e.sessionId)
  fields.textField('model', e.model)
  fields.textField('permission_mode', e.permissionMode)
  fields.textField('credential_source', e.credentialSource)
  fields.textField('output_style', e.outputStyle)
  fields.textField('cwd', e.cwd)
  out.literal(L.field('offered_tools'))
  values.textList(e.offeredTools)
  if (e.availableOperations !== null) {
    out.literal(L.field('available_operations'))
    values.textList(e.availableOperations)
  }
  out.literal(L.field('withheld'))
  values.list(e.withheld, (item) => {
    fields.put('{"tool":')
    values.text(item.tool)
    fields.textField('reason', item.reason)
    fields.put('}')
  })
  out.literal(L.field('slash_commands'))
  values.textList(e.slashCommands)
  out.literal(L.field('skills'))
  values.textList(e.skills)
  out.literal(L.field('agents'))
  values.textList(e.agents)
  out.literal(L.field('plugins'))
  values.list(e.plugins, (item) => {
    fields.put('{"name":')
    values.text(item.name)
    fields.textField('source', item.source)
    fields.textField('version', item.version)
    fields.put('}')
  })
  out.literal(L.field('mcp_servers'))
  values.list(e.mcpServers, (item) => {
    fields.put('{"name":')
    values.text(item.name)
    fields.textField('status', item.status)
    fields.put('}')
  })
  fields.textField('inputs_digest', e.inputsDigest)
  out.literal(L.field('transcript'))
  if (e.transcript === null) fields.put(`{"path":${path},"digest":null,"bytes":null}`)
  else values.json(e.transcript)
  out.literal(L.field('hermetic'))
  if (e.hermetic === null) out.literal(L.RECORDED)
  else values.json(e.hermetic)
}

/** The fields of `session.ended` behind its name. */
export function putSessionEnded(fields: FieldWriter, e: SessionEnded): void {
  const { out, values } = fields
  if (e.finalAnswer === null) values.json(null)
  else {
    fields.put('{"text":')
    values.text(e.finalAnswer.text)
    fields.textField('turn_id', e.finalAnswer.turnId)
    fields.put('}')
  }
  out.literal(L.field('observed_models'))
  values.json(e.observedModels)
  out.literal(L.field('is_error'))
  values.bool(e.isError)
  fields.textField('subtype', e.subtype)
  fields.textField('stop_reason', e.stopReason)
  fields.textField('terminal_reason', e.terminalReason)
  fields.textField('api_error_status', e.apiErrorStatus)
  fields.integerField('num_turns', e.numTurns)
  fields.integerField('duration_ms', e.durationMs)
  fields.integerField('duration_api_ms', e.durationApiMs)
  fields.integerField('ttft_ms', e.ttftMs)
  fields.integerField('time_to_request_ms', e.timeToRequestMs)
  out.literal(L.field('total_cost_usd'))
  values.decimal(e.totalCostUsd)
  out.literal(L.field('permission_denials'))
  values.list(e.permissionDenials, (denial) => {
    fields.put('{"tool_name":')
    values.text(denial.toolName)
    fields.textField('tool_use_id', denial.toolUseId)
    out.literal(L.field('tool_input'))
    values.json(denial.toolInput)
    fields.put('}')
  })
  fields.integerField('subagents_spawned', e.subagentsSpawned)
  out.literal(L.field('usage'))
  if (e.usage === null) values.json(null)
  else fields.usageObject(e.usage)
  out.literal(L.field('model_usage'))
  fields.modelUsage(e.modelUsage)
  out.literal(L.field('census'))
  fields.census(e.census)
}
