import { countCall, totalsOf, type TokenTotals } from './facts.ts'
import { textLength, type RunContext } from './run.ts'

/** What the session files and the stream of Claude Code have in common: models, messages, tool calls, results. */

export const mainModels = ['claude-sonnet-4-5-20250929', 'claude-opus-4-5-20251101'] as const
export const sideModel = 'claude-haiku-4-5-20251001'

const toolWeights: readonly (readonly [string, number])[] = [
  ['Bash', 30],
  ['Read', 28],
  ['Edit', 16],
  ['Grep', 10],
  ['Write', 6],
  ['TodoWrite', 5],
  ['WebFetch', 2],
  ['mcp__tracker__list_items', 3],
]
const toolDraw = toolWeights.flatMap(([name, weight]) => Array.from({ length: weight }, () => name))
const folders = ['src/gate', 'src/wheel', 'test/gate', 'docs', 'src/räder', 'scripts']

export interface ToolCall {
  readonly id: string
  readonly name: string
}

/** One API message; its lines repeat the ids and the input counts, and only the last has the final output count. */
export interface Message {
  readonly id: string
  readonly requestId: string
  readonly model: string
  readonly tokens: TokenTotals
}

/** Draw a message and count its tokens, once, for its model. */
export function newMessage(ctx: RunContext, model: string, lifetimes: 'both' | '5m'): Message {
  const { random } = ctx
  const written = random.chance(0.7) ? random.between(50, 9_000) : 0
  const hourly = lifetimes === 'both' && random.chance(0.5) ? random.below(written + 1) : 0
  const tokens: TokenTotals = {
    input: random.between(1, 60),
    cache_read: random.between(0, 140_000),
    cache_write_5m: written - hourly,
    cache_write_1h: hourly,
    cache_write: 0,
    output: random.between(12, 2_400),
    web_search: random.chance(0.01) ? random.between(1, 3) : 0,
    messages: 1,
  }
  return { id: `msg_gen${random.hex(24)}`, requestId: `req_gen${random.hex(24)}`, model, tokens }
}

/** Add the tokens of `message` to the facts, `cache_write` kept apart for dialects that do not say how long. */
export function countMessage(ctx: RunContext, message: Message, as: 'split' | 'unsplit'): void {
  const total = totalsOf(ctx.facts.models, message.model)
  const { tokens } = message
  total.input += tokens.input
  total.cache_read += tokens.cache_read
  total.output += tokens.output
  total.web_search += tokens.web_search
  total.messages += 1
  if (as === 'split') {
    total.cache_write_5m += tokens.cache_write_5m
    total.cache_write_1h += tokens.cache_write_1h
  } else {
    total.cache_write += tokens.cache_write_5m + tokens.cache_write_1h
  }
}

/** The usage object of one line, with the output count that this line shows. */
export function usageText(message: Message, output: number): string {
  const { input, cache_read, cache_write_5m, cache_write_1h, web_search } = message.tokens
  const searches =
    web_search > 0 ? `,"server_tool_use":{"web_search_requests":${web_search},"web_fetch_requests":0}` : ''
  return (
    `{"input_tokens":${input},"cache_creation_input_tokens":${cache_write_5m + cache_write_1h},"cache_read_input_tokens":${cache_read},` +
    `"cache_creation":{"ephemeral_5m_input_tokens":${cache_write_5m},"ephemeral_1h_input_tokens":${cache_write_1h}},` +
    `"output_tokens":${output}${searches},"service_tier":"standard"}`
  )
}

/** The message object up to the bracket that opens its one content block. */
export function messageHead(message: Message): string {
  return `"message":{"model":"${message.model}","id":"${message.id}","type":"message","role":"assistant","content":[`
}

/** What follows the block: stop reason and usage. `stopReason` null marks a line that is not the last. */
export function messageTail(message: Message, output: number, stopReason: string | null): string {
  const stop = stopReason === null ? 'null' : `"${stopReason}"`
  return `],"stop_reason":${stop},"stop_sequence":null,"usage":${usageText(message, output)}}`
}

export function putThinking(ctx: RunContext): void {
  ctx.out.put('{"type":"thinking","thinking":')
  ctx.out.quoted(ctx.texts.prose(ctx.random, textLength(ctx, 420, 0.9)))
  ctx.out.put(`,"signature":"${ctx.random.hex(128)}=="}`)
}

export function putText(ctx: RunContext): void {
  ctx.out.put('{"type":"text","text":')
  ctx.out.quoted(ctx.texts.prose(ctx.random, textLength(ctx, 300, 1)))
  ctx.out.put('}')
}

/** Draw a call and count it. */
export function newCall(ctx: RunContext, name: string = ctx.random.pick(toolDraw)): ToolCall {
  countCall(ctx.facts, name)
  return { id: `toolu_gen${ctx.random.hex(24)}`, name }
}

export function putToolUse(ctx: RunContext, call: ToolCall): void {
  ctx.out.put(`{"type":"tool_use","id":"${call.id}","name":"${call.name}","input":`)
  putInput(ctx, call.name)
  ctx.out.put('}')
}

export function filePath(ctx: RunContext): string {
  const folder = ctx.random.pick(folders).replace('ä', '\\u00e4')
  return `/home/dev/millpond/${folder}/part-${ctx.random.below(400)}.ts`
}

/** The arguments of a call, in the shape that the tool takes. */
export function putInput(ctx: RunContext, name: string): void {
  const { out, random, texts } = ctx
  switch (name) {
    case 'Bash':
      out.put('{"command":')
      out.quoted(texts.code(random, textLength(ctx, 90, 0.9)))
      out.put(
        `,"description":"Step ${random.below(99)} of the build","timeout":${random.pick([60_000, 120_000, 600_000])}}`,
      )
      return
    case 'Read':
      out.put(
        `{"file_path":"${filePath(ctx)}","offset":${random.below(2_000)},"limit":${random.pick([50, 200, 2_000])}}`,
      )
      return
    case 'Edit':
      out.put(`{"replace_all":${random.chance(0.1)},"file_path":"${filePath(ctx)}","old_string":`)
      out.quoted(texts.code(random, textLength(ctx, 250, 1)))
      out.put(',"new_string":')
      out.quoted(texts.code(random, textLength(ctx, 320, 1)))
      out.put('}')
      return
    case 'Write':
      out.put(`{"file_path":"${filePath(ctx)}","content":`)
      out.quoted(texts.code(random, textLength(ctx, 2_200, 1.2)))
      out.put('}')
      return
    case 'Task':
      out.put(`{"description":"look into part ${random.below(400)}","subagent_type":"explorer","prompt":`)
      out.quoted(texts.prose(random, textLength(ctx, 600, 0.8)))
      out.put('}')
      return
    case 'TodoWrite':
      out.put('{"todos":[')
      for (let i = 0, n = random.between(2, 5); i < n; i++) {
        out.put(
          `${i > 0 ? ',' : ''}{"id":"${i + 1}","status":"${random.pick(['pending', 'in_progress', 'completed'])}","content":`,
        )
        out.quoted(texts.plain(random, textLength(ctx, 50, 0.4)))
        out.put('}')
      }
      out.put(']}')
      return
    default:
      out.put(`{"pattern":"gate\\\\.(open|shut)\\\\(","path":"${filePath(ctx)}","max":${random.below(500)}}`)
  }
}
