import type { Attachment, Block, Line, Message, Usage } from './plain-records.ts'

const FORMAT = 'metaharness.event/1'

const operations = new Map([
  ['Read', ['file.read']],
  ['Write', ['file.write']],
  ['Edit', ['file.edit']],
  ['Glob', ['dir.list']],
  ['Grep', ['search']],
  ['Bash', ['shell']],
  ['WebFetch', ['web.read']],
  ['WebSearch', ['web.read']],
  ['Task', ['subagent.spawn']],
  ['TodoWrite', ['task.todo']],
])

function operationsOf(tool: string): readonly string[] | undefined {
  return operations.get(tool) ?? (tool.startsWith('mcp__') ? ['mcp.call'] : undefined)
}

/** A message whose last line has not come yet. */
interface Pending {
  readonly key: string
  readonly at: string | undefined
  readonly requestId: string | null
  readonly model: string
  readonly usage: Usage
}

/**
 * Sessions of Claude Code to `metaharness.event/1` as one would write it in a day: `JSON.parse`, a look at the object,
 * `JSON.stringify`. It is what full conversion is measured against, and it has every advantage: it knows one
 * dialect, trusts its input, checks no value, keeps no number beyond a double, and its events are plain literals.
 * `test/bench/plain-pipeline.test.ts` holds that its events are ours.
 */
export class PlainPipeline {
  events = 0
  /** Lines written and not taken yet. */
  private text = ''
  private run = ''
  private readonly path: string
  private started = false
  private permissionMode: string | null = null
  private readonly pending = new Map<string, Pending>()

  /** @param path of the transcript, as the stream shall name it */
  constructor(path: string) {
    this.path = path
  }

  /** The bytes of the events since the last call. */
  take(): Buffer {
    const bytes = Buffer.from(this.text)
    this.text = ''
    return bytes
  }

  line(text: string): void {
    const line: Line = JSON.parse(text)
    if (this.run === '' && line.sessionId) {
      this.run = line.isSidechain && line.agentId ? `${line.sessionId}/${line.agentId}` : line.sessionId
    }
    switch (line.type) {
      case 'assistant':
      case 'user':
      case 'system':
      case 'attachment':
      case 'progress':
        if (!this.started) this.start(line)
        return this.conversation(line)
      case 'permission-mode':
        this.permissionMode = line.permissionMode ?? null
    }
  }

  end(): void {
    for (const pending of this.pending.values()) this.usage(pending)
    this.warn(
      undefined,
      'NO_TERMINAL_RECORD',
      'the transcript ends without a record that says how the run ended',
    )
    const { run, events } = this
    this.write({
      format: FORMAT,
      seq: ++this.events,
      run,
      event: 'stream.closed',
      process: { kind: 'unknown' },
      events,
      reason: 'error',
      run_id: run,
    })
  }

  private write(event: object): void {
    this.text += JSON.stringify(event) + '\n'
  }

  private start(line: Line): void {
    this.started = true
    this.write({
      format: FORMAT,
      seq: ++this.events,
      run: this.run,
      at: line.timestamp,
      event: 'session.started',
      adapter: 'claude',
      adapter_class: 'harness',
      harness_version: line.version ?? null,
      session_id: line.sessionId ?? null,
      model: null,
      permission_mode: this.permissionMode ?? line.permissionMode ?? null,
      credential_source: null,
      output_style: null,
      cwd: line.cwd ?? null,
      offered_tools: null,
      withheld: null,
      slash_commands: null,
      skills: null,
      agents: null,
      plugins: null,
      mcp_servers: null,
      inputs_digest: null,
      transcript: { path: this.path, digest: null, bytes: null },
      hermetic: {
        mode: 'off',
        decisions: 'observe',
        imposed: [],
        unavailable: [],
        ambient_inputs: [],
        installed_plugins: [],
      },
    })
  }

  private conversation(line: Line): void {
    const at = line.timestamp
    if (line.type === 'assistant' && line.message) this.assistant(line, line.message)
    else if (line.type === 'user' && line.message) this.user(line, line.message)
    else if (line.type === 'attachment' && line.attachment) this.attachment(line, line.attachment)
    else if (line.subtype === 'api_error') {
      const { retryAttempt, maxRetries, retryInMs, error } = line
      const status = typeof error === 'object' ? error.status : undefined
      const how = `attempt ${retryAttempt} of ${maxRetries}, after ${retryInMs} ms, status ${status}`
      this.warn(at, 'VENDOR_API_RETRY', `a request was repeated, ${how}`)
    } else if (line.subtype === 'compact_boundary') {
      const { trigger, preTokens } = line.compactMetadata ?? {}
      const message = `the conversation was compacted (${trigger}), from ${preTokens} tokens`
      this.warn(at, 'conversation-compacted', message)
    }
  }

  private assistant(line: Line, message: Message): void {
    const at = line.timestamp
    const requestId = line.requestId ?? null
    const { content, usage, model } = message
    if (line.isApiErrorMessage) {
      const said = typeof content === 'string' ? content : content.map((block) => block.text).join('\n')
      this.warn(at, 'api-error', `${line.error}: status ${line.apiErrorStatus}: ${said}`)
      return
    }
    const thread = line.isSidechain ? (line.agentId ?? 'sidechain') : ''
    const key = `${message.id} ${requestId}`
    const open = this.pending.get(thread)
    if (open !== undefined && open.key !== key) {
      this.pending.delete(thread)
      this.usage(open)
    }
    if (typeof content === 'string') this.said('text', at, content, requestId)
    else for (const block of content) this.block(block, at, requestId)
    if (usage === undefined) return
    const pending = { key, at, requestId, model: model ?? '', usage }
    if (message.stop_reason === null) {
      this.pending.set(thread, pending)
    } else {
      this.pending.delete(thread)
      this.usage(pending)
    }
  }

  private block(block: Block, at: string | undefined, requestId: string | null): void {
    if (block.type === 'text') this.said('text', at, block.text, requestId)
    else if (block.type === 'thinking') this.said('thinking', at, block.thinking, requestId)
    else if (block.type === 'tool_use') {
      const path = block.input?.file_path ?? block.input?.path
      this.write({
        format: FORMAT,
        seq: ++this.events,
        run: this.run,
        at,
        event: 'tool.requested',
        call_id: block.id,
        name: block.name,
        input: block.input ?? null,
        operations: operationsOf(block.name ?? ''),
        subjects: path === undefined ? undefined : [`file:${path}`],
        decision_required: false,
        deadline_ms: null,
        seam: 'none',
      })
    }
  }

  private user(line: Line, message: Message): void {
    const at = line.timestamp
    const origin = line.isSidechain || line.isMeta || line.isCompactSummary ? 'synthetic' : 'user'
    const { content } = message
    if (typeof content === 'string') return this.inject(at, content, origin)
    for (const block of content) {
      if (block.type === 'text') this.inject(at, block.text, origin)
      else if (block.type === 'tool_result') this.result(line, block)
    }
  }

  private result(line: Line, block: Block): void {
    const at = line.timestamp
    const content = block.content ?? null
    const spelled = typeof content === 'string' ? content : JSON.stringify(content)
    this.write({
      format: FORMAT,
      seq: ++this.events,
      run: this.run,
      at,
      event: 'tool.result',
      exit_code: null,
      outcome_source: null,
      call_id: block.tool_use_id,
      is_error: block.is_error ?? null,
      content,
      bytes: content === null ? null : Buffer.byteLength(spelled),
      tool_use_result: line.toolUseResult ?? null,
    })
    const kind = line.toolDenialKind
    if (!block.is_error || kind === undefined) return
    const message = `the call ${block.tool_use_id} was denied, said by the field toolDenialKind (${kind})`
    this.warn(at, 'approval-denied', message, block.tool_use_id)
  }

  private attachment(line: Line, attachment: Attachment): void {
    const at = line.timestamp
    switch (attachment.type) {
      case 'queued_command':
        return this.inject(at, attachment.prompt, line.isSidechain ? 'synthetic' : 'user')
      case 'nested_memory':
        return this.inject(at, attachment.content?.content, 'synthetic')
      case 'edited_text_file':
        return this.inject(at, attachment.snippet, 'synthetic')
      case 'hook_blocking_error': {
        const reason = attachment.blockingError?.blockingError
        return this.warn(at, 'hook-refused', `the hook ${attachment.hookName} blocked: ${reason}`)
      }
    }
  }

  private usage({ at, requestId, model, usage }: Pending): void {
    this.write({
      format: FORMAT,
      seq: ++this.events,
      run: this.run,
      at,
      event: 'usage',
      request_id: requestId,
      model,
      usage: {
        input_tokens: usage.input_tokens,
        output_tokens: usage.output_tokens,
        cache_read_input_tokens: usage.cache_read_input_tokens,
        cache_creation_input_tokens: usage.cache_creation_input_tokens,
        service_tier: usage.service_tier ?? null,
        thinking_tokens: null,
        iterations: null,
        speed: null,
        cost_usd: null,
      },
    })
  }

  private said(
    event: string,
    at: string | undefined,
    text: string | undefined,
    requestId: string | null,
  ): void {
    const { run } = this
    this.write({ format: FORMAT, seq: ++this.events, run, at, event, text, request_id: requestId })
  }

  private inject(at: string | undefined, text: string | undefined, origin: string): void {
    if (text === undefined) return
    this.write({ format: FORMAT, seq: ++this.events, run: this.run, at, event: 'injection', text, origin })
  }

  private warn(at: string | undefined, code: string, message: string, callId?: string): void {
    const { run } = this
    const event = 'warning'
    this.write({ format: FORMAT, seq: ++this.events, run, at, event, code, message, call_id: callId })
  }
}
