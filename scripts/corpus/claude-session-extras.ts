import { newMessage, sideModel, usageText, type Message } from './claude-parts.ts'
import { begin, finish, putLine, type SessionState } from './claude-session-records.ts'
import { iso, textLength, type RunContext } from './run.ts'

/** Records beside the conversation: queue, snapshots, titles, attachments, hooks, compaction, errors. */

/** What a client writes before a prompt; most prompts have one or two of these. */
export function putBookkeeping(ctx: RunContext, state: SessionState): void {
  const { random } = ctx
  const at = iso(state.timeMs)
  if (state.parent === null && random.chance(0.3)) {
    putLine(
      ctx,
      `{"type":"summary","summary":"Mend the gate of part ${random.below(400)}","leafUuid":"${random.uuid()}"}`,
    )
  }
  if (random.chance(0.3)) {
    putLine(
      ctx,
      `{"type":"queue-operation","operation":"enqueue","timestamp":"${at}","sessionId":"${state.sessionId}","content":"and then?"}`,
    )
    putLine(
      ctx,
      `{"type":"queue-operation","operation":"dequeue","timestamp":"${at}","sessionId":"${state.sessionId}"}`,
    )
  }
  if (random.chance(0.25)) {
    const id = random.uuid()
    putLine(
      ctx,
      `{"type":"file-history-snapshot","messageId":"${id}","snapshot":{"messageId":"${id}","trackedFileBackups":{"src/gate/part-1.ts":` +
        `{"backupFileName":"${random.hex(16)}@v1","version":1,"backupTime":"${at}"}},"timestamp":"${at}"},"isSnapshotUpdate":false}`,
    )
  }
  if (random.chance(0.15)) {
    const mode = random.pick(['default', 'acceptEdits', 'plan'])
    putLine(ctx, `{"type":"permission-mode","permissionMode":"${mode}","sessionId":"${state.sessionId}"}`)
  }
  if (random.chance(0.1))
    putLine(
      ctx,
      `{"type":"ai-title","sessionId":"${state.sessionId}","aiTitle":"The gate of part ${random.below(400)}"}`,
    )
  if (random.chance(0.25)) putAttachment(ctx, state)
}

function putAttachment(ctx: RunContext, state: SessionState): void {
  const { out, random, texts } = ctx
  const kind = random.pick([
    'hook_success',
    'queued_command',
    'nested_memory',
    'edited_text_file',
    'hook_blocking_error',
    'date_change',
  ])
  begin(ctx, state, 'attachment')
  out.put(`"attachment":{"type":"${kind}",`)
  if (kind === 'hook_success') {
    out.put(
      '"hookName":"PreToolUse:Bash","hookEvent":"PreToolUse","exitCode":0,"durationMs":12,"stderr":"","stdout":"{}","command":"check-gate"',
    )
  } else if (kind === 'hook_blocking_error') {
    out.put(
      '"hookName":"Stop","hookEvent":"Stop","blockingError":{"blockingError":"the gate is still open","command":"check-gate"}',
    )
  } else if (kind === 'date_change') {
    out.put(`"newDate":"${iso(state.timeMs).slice(0, 10)}"`)
  } else if (kind === 'queued_command') {
    out.put('"commandMode":"prompt","prompt":')
    out.quoted(texts.prose(random, textLength(ctx, 120, 0.8)))
  } else if (kind === 'nested_memory') {
    out.put('"path":"/home/dev/millpond/NOTES.md","content":{"type":"Project","content":')
    out.quoted(texts.prose(random, textLength(ctx, 900, 1)))
    out.put('}')
  } else {
    out.put('"filename":"/home/dev/millpond/src/gate/part-3.ts","snippet":')
    out.quoted(texts.code(random, textLength(ctx, 500, 1)))
  }
  out.put('},')
  finish(ctx, state)
}

/** The conversation is cut and goes on from a summary of itself. */
export function putCompaction(ctx: RunContext, state: SessionState): void {
  const { out, random, texts } = ctx
  const logicalParent = state.parent
  state.parent = null
  begin(ctx, state, 'system')
  out.put(
    `"subtype":"compact_boundary","content":"The conversation was made smaller","isMeta":false,"level":"info",` +
      `"logicalParentUuid":"${logicalParent}","compactMetadata":{"trigger":"${random.pick(['auto', 'manual'])}","preTokens":${random.between(90_000, 190_000)}},`,
  )
  finish(ctx, state)
  begin(ctx, state, 'user')
  out.put('"isCompactSummary":true,"isVisibleInTranscriptOnly":true,"message":{"role":"user","content":')
  out.quoted(texts.prose(random, textLength(ctx, 3_500, 0.5)))
  out.put('},')
  finish(ctx, state)
}

/** What may stand behind the last message of a turn. */
export function putTurnEnd(ctx: RunContext, state: SessionState, last: Message): void {
  const { out, random } = ctx
  if (random.chance(0.12)) putProgress(ctx, state, last)
  if (random.chance(0.06)) putApiTrouble(ctx, state)
  if (random.chance(0.3)) {
    begin(ctx, state, 'system')
    out.put(`"subtype":"turn_duration","durationMs":${random.between(2_000, 400_000)},"isMeta":false,`)
    finish(ctx, state)
  }
  if (random.chance(0.15)) {
    begin(ctx, state, 'system')
    out.put(
      '"subtype":"stop_hook_summary","hookCount":1,"hookInfos":[{"command":"check-gate"}],"hookErrors":[],"preventedContinuation":false,"level":"suggestion",',
    )
    finish(ctx, state)
  }
}

/** A progress record repeats a whole message with its usage: a trap for whoever counts every `usage`. */
function putProgress(ctx: RunContext, state: SessionState, message: Message): void {
  begin(ctx, state, 'progress')
  ctx.out.put(
    `"data":{"type":"agent_progress","agentId":"${ctx.random.hex(16)}","message":{"type":"assistant","message":{"id":"${message.id}","model":"${message.model}",` +
      `"role":"assistant","content":[{"type":"text","text":"on it"}],"usage":${usageText(message, 3)}}}},"toolUseID":"agent_${ctx.random.hex(8)}",`,
  )
  finish(ctx, state)
}

/** Retries of a request, then the message that the client made up about it; neither is spend. */
function putApiTrouble(ctx: RunContext, state: SessionState): void {
  const { out, random } = ctx
  const retries = random.between(1, 3)
  for (let i = 1; i <= retries; i++) {
    begin(ctx, state, 'system')
    out.put(
      `"subtype":"api_error","level":"error","error":{"status":529},"retryInMs":${i * 600},"retryAttempt":${i},"maxRetries":10,`,
    )
    finish(ctx, state)
  }
  if (random.chance(0.6)) return
  const nothing = newMessage(ctx, sideModel, '5m')
  begin(ctx, state, 'assistant')
  out.put(
    `"message":{"id":"${nothing.id}","model":"<synthetic>","role":"assistant","type":"message","stop_reason":"stop_sequence","stop_sequence":"",` +
      `"usage":{"input_tokens":0,"output_tokens":0,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"service_tier":null},` +
      `"content":[{"type":"text","text":"API Error: 529 the service is busy"}]},"isApiErrorMessage":true,"error":"overloaded","apiErrorStatus":529,`,
  )
  finish(ctx, state)
}
