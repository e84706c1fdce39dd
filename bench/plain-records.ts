/** Records of a session of Claude Code, as the plain pipeline takes them on trust. */
export interface Line {
  readonly type: string
  readonly subtype?: string
  readonly sessionId?: string
  readonly agentId?: string
  readonly isSidechain?: boolean
  readonly isMeta?: boolean
  readonly isCompactSummary?: boolean
  readonly isApiErrorMessage?: boolean
  readonly timestamp?: string
  readonly version?: string
  readonly cwd?: string
  readonly permissionMode?: string
  readonly requestId?: string
  readonly message?: Message
  readonly attachment?: Attachment
  readonly toolUseResult?: unknown
  readonly toolDenialKind?: string
  readonly error?: string | { readonly status?: number }
  readonly apiErrorStatus?: number
  readonly retryAttempt?: number
  readonly maxRetries?: number
  readonly retryInMs?: number
  readonly compactMetadata?: { readonly trigger?: string; readonly preTokens?: number }
}

export interface Message {
  readonly id?: string
  readonly model?: string
  readonly content: string | readonly Block[]
  readonly stop_reason?: string | null
  readonly usage?: Usage
}

export interface Block {
  readonly type: string
  readonly text?: string
  readonly thinking?: string
  readonly id?: string
  readonly name?: string
  readonly input?: { readonly file_path?: string; readonly path?: string }
  readonly tool_use_id?: string
  readonly content?: string | readonly object[]
  readonly is_error?: boolean
}

export interface Usage {
  readonly input_tokens: number
  readonly output_tokens: number
  readonly cache_read_input_tokens: number
  readonly cache_creation_input_tokens: number
  readonly cache_creation?: {
    readonly ephemeral_5m_input_tokens: number
    readonly ephemeral_1h_input_tokens: number
  }
  readonly server_tool_use?: { readonly web_search_requests: number }
  readonly service_tier?: string
}

export interface Attachment {
  readonly type: string
  readonly prompt?: string
  readonly snippet?: string
  readonly content?: { readonly content?: string }
  readonly hookName?: string
  readonly blockingError?: { readonly blockingError?: string }
}
