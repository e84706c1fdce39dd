import { emptyFacts, totalsOf, type CorpusFacts } from '../../scripts/corpus/facts.ts'
import type { Dialect } from '../../scripts/make-corpus.ts'

/** The facts of a corpus counted the slow way: every line through `JSON.parse`, every rule spelled out. */
export function countRecords(dialect: Dialect, lines: readonly Buffer[]): CorpusFacts {
  const counter = new Counter(dialect)
  for (const line of lines) counter.line(line)
  return counter.finish()
}

type Json = Record<string, unknown>

const object = (value: unknown): Json => (typeof value === 'object' && value !== null ? (value as Json) : {})
const list = (value: unknown): Json[] => (Array.isArray(value) ? value.map(object) : [])
const number = (value: unknown): number => (typeof value === 'number' ? value : 0)
const text = (value: unknown): string => (typeof value === 'string' ? value : '')

class Counter {
  private readonly facts = emptyFacts()
  private readonly messages = new Map<string, Json>()
  private results = new Map<string, Json>()
  private readonly dialect: Dialect

  constructor(dialect: Dialect) {
    this.dialect = dialect
  }

  line(line: Buffer): void {
    const { facts } = this
    const plain = line.toString()
    if (/^[\s\0]*$/.test(plain)) {
      facts.blankLines += 1
      facts.faults[plain.includes('\0') ? 'nul-line' : 'blank'] += 1
      return
    }
    facts.records += 1
    const record = parsed(plain)
    if (record === null) {
      facts.damagedLines += 1
      facts.faults[plain.startsWith('\0') ? 'nul-run' : plain.includes('}{') ? 'joined' : 'cut'] += 1
      return
    }
    this.flaws(line, plain)
    this.record(record)
  }

  private flaws(line: Buffer, plain: string): void {
    const { facts } = this
    const isBad = !Buffer.from(plain).equals(line)
    if (isBad) facts.faults['invalid-utf8'] += 1
    else if (/"half \\u[\ddDcCeE]+/.test(plain)) facts.faults['lone-surrogate'] += 1
    else return
    facts.repairableRecords += 1
  }

  private record(record: Json): void {
    const { facts } = this
    if (/^sluice[-_.]forecast$/.test(text(record['event'] ?? record['kind'] ?? record['type']))) {
      facts.unknownRecords += 1
      facts.faults['unknown-type'] += 1
    }
    if (this.dialect === 'b10x') this.b10x(record, 0)
    else if (this.dialect === 'metaharness') this.metaharness(record)
    else if (this.dialect === 'codex-rollout') this.codex(object(record['payload']))
    else this.claude(record)
  }

  private model = ''
  /** The total that was counted last; equal ones are told again. */
  private total = ''

  private codex(payload: Json): void {
    const { facts } = this
    if (payload['model'] !== undefined) this.model = text(payload['model'])
    if (payload['id'] !== undefined) this.total = ''
    if (payload['type'] === 'function_call') this.call(text(payload['name']))
    if (payload['type'] === 'function_call_output') this.result(false)
    const info = object(payload['info'])
    const total = JSON.stringify(info['total_token_usage'] ?? null)
    if (payload['type'] !== 'token_count' || total === this.total) return
    this.total = total
    const last = object(info['last_token_usage'])
    const sums = totalsOf(facts.models, this.model)
    sums.input += number(last['input_tokens']) - number(last['cached_input_tokens'])
    sums.cache_read += number(last['cached_input_tokens'])
    sums.output += number(last['output_tokens'])
    sums.messages += 1
  }

  private claude(record: Json): void {
    const { facts } = this
    const message = object(record['message'])
    if (record['type'] === 'assistant' && message['model'] !== '<synthetic>') {
      this.messages.set(
        `${text(message['id'])} ${text(record['requestId'] ?? record['request_id'])}`,
        message,
      )
    }
    for (const block of list(message['content'])) {
      if (block['type'] === 'tool_use') this.call(text(block['name']))
      if (block['type'] === 'tool_result') this.result(block['is_error'] === true)
    }
    if (record['toolDenialKind'] !== undefined || record['subtype'] === 'permission_denied')
      facts.toolDenials += 1
    if (record['type'] === 'result') this.results.set(text(record['session_id']), record)
  }

  private b10x(record: Json, depth: number): void {
    const { facts } = this
    const isTop = depth === 0
    switch (record['kind']) {
      case 'delegated':
        return this.b10x(object(record['event']), depth + 1)
      case 'tool-requested':
        return isTop ? this.call(text(record['name'])) : void facts.nestedToolCalls++
      case 'tool-completed':
        return isTop ? this.result(record['failed'] === true) : void facts.nestedToolResults++
      case 'approval-resolved':
        if (record['approved'] === false) facts.toolDenials += 1
        return
      case 'cost':
        facts.reportedNanoUsd += number(record['micro_usd']) * 1_000
        return
      case 'usage': {
        const total = totalsOf(facts.models, text(record['model']))
        const read = number(record['cached_input_tokens'])
        const written = number(record['cache_creation_input_tokens'])
        total.input += number(record['input_tokens']) - read - written
        total.cache_read += read
        total.cache_write += written
        total.output += number(record['output_tokens'])
        total.messages += 1
      }
    }
  }

  private metaharness(record: Json): void {
    const { facts } = this
    switch (record['event']) {
      case 'session.started':
        this.inclusive = record['adapter'] === 'b10x'
        return
      case 'tool.requested':
        return this.call(text(record['name']))
      case 'tool.result':
        return this.result(record['is_error'] === true)
      case 'tool.decided':
        if (object(record['decision'])['decision'] === 'deny') facts.toolDenials += 1
        return
      case 'session.ended':
        facts.reportedNanoUsd += Math.round(number(record['total_cost_usd']) * 1e9)
        return
      case 'usage': {
        const usage = object(record['usage'])
        const total = totalsOf(facts.models, text(record['model']))
        const read = number(usage['cache_read_input_tokens'])
        const written = number(usage['cache_creation_input_tokens'])
        total.input += number(usage['input_tokens']) - (this.inclusive ? read + written : 0)
        total.cache_read += read
        total.cache_write += written
        total.output += number(usage['output_tokens'])
        total.messages += 1
      }
    }
  }

  private inclusive = false

  private call(name: string): void {
    this.facts.toolCalls[name] = (this.facts.toolCalls[name] ?? 0) + 1
  }

  private result(failed: boolean): void {
    this.facts.toolResults += 1
    if (failed) this.facts.toolErrors += 1
  }

  /** Messages once each, by their last line; for the stream the last `result` of a process has the say. */
  finish(): CorpusFacts {
    const { facts } = this
    for (const message of this.messages.values()) {
      const total = totalsOf(facts.models, text(message['model']))
      total.messages += 1
      if (this.dialect === 'claude-stream') continue
      const usage = object(message['usage'])
      const written = object(usage['cache_creation'])
      total.input += number(usage['input_tokens'])
      total.cache_read += number(usage['cache_read_input_tokens'])
      total.cache_write_5m += number(written['ephemeral_5m_input_tokens'])
      total.cache_write_1h += number(written['ephemeral_1h_input_tokens'])
      total.output += number(usage['output_tokens'])
      total.web_search += number(object(usage['server_tool_use'])['web_search_requests'])
    }
    for (const result of this.results.values()) {
      facts.reportedNanoUsd += Math.round(number(result['total_cost_usd']) * 1e9)
      for (const [model, value] of Object.entries(object(result['modelUsage']))) {
        const usage = object(value)
        const total = totalsOf(facts.models, model)
        total.input += number(usage['inputTokens'])
        total.cache_read += number(usage['cacheReadInputTokens'])
        total.cache_write += number(usage['cacheCreationInputTokens'])
        total.output += number(usage['outputTokens'])
        total.web_search += number(usage['webSearchRequests'])
      }
    }
    return facts
  }
}

function parsed(line: string): Json | null {
  try {
    return object(JSON.parse(line))
  } catch {
    return null
  }
}
