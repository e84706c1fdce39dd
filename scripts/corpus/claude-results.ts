import { filePath, type ToolCall } from './claude-parts.ts'
import { textLength, type RunContext } from './run.ts'
import type { TextSpan } from './texts.ts'

/** How a call came out. */
export type Outcome = 'ok' | 'error' | 'denied'

/** Lengths of tool output, in escaped bytes: many small, some large, a few of 200-400 KB. */
export function resultLength(ctx: RunContext): number {
  const { random } = ctx
  if (random.chance(0.0008)) return Math.min(ctx.maxText, random.between(200_000, 400_000))
  if (random.chance(0.05)) return textLength(ctx, 17_000, 0.9)
  return textLength(ctx, 520, 1.45)
}

/** Draw an outcome and count the result. */
export function newOutcome(ctx: RunContext, denialShare = 0.015): Outcome {
  const { facts, random } = ctx
  const outcome = random.chance(denialShare) ? 'denied' : random.chance(0.05) ? 'error' : 'ok'
  facts.toolResults += 1
  if (outcome !== 'ok') facts.toolErrors += 1
  if (outcome === 'denied') facts.toolDenials += 1
  return outcome
}

/** Write the `tool_result` block and return the text that it holds. */
export function putResultBlock(ctx: RunContext, call: ToolCall, outcome: Outcome): TextSpan {
  const { out, random, texts } = ctx
  const text =
    outcome === 'ok' ? texts.code(random, resultLength(ctx)) : texts.plain(random, textLength(ctx, 140, 0.5))
  const asBlocks = outcome === 'ok' && random.chance(0.2)
  out.put(
    `{"tool_use_id":"${call.id}","type":"tool_result","content":${asBlocks ? '[{"type":"text","text":' : ''}`,
  )
  out.quoted(text)
  out.put(
    `${asBlocks ? '}]' : ''}${outcome === 'ok' ? (random.chance(0.5) ? ',"is_error":false' : '') : ',"is_error":true'}}`,
  )
  return text
}

/** Write the structured twin of a result, in the shape of the tool; its text is often the whole output again. */
export function putStructuredResult(ctx: RunContext, call: ToolCall, outcome: Outcome, text: TextSpan): void {
  const { out, random, texts } = ctx
  if (outcome !== 'ok') {
    out.quoted(text)
    return
  }
  switch (call.name) {
    case 'Bash':
      out.put('{"stdout":')
      out.quoted(text)
      out.put(`,"stderr":"","interrupted":false,"isImage":false}`)
      return
    case 'Read':
      out.put(`{"type":"text","file":{"filePath":"${filePath(ctx)}","content":`)
      out.quoted(text)
      out.put(`,"numLines":${random.below(900)},"startLine":1,"totalLines":${random.between(900, 2_000)}}}`)
      return
    case 'Edit':
      out.put(`{"filePath":"${filePath(ctx)}","oldString":`)
      out.quoted(texts.code(random, textLength(ctx, 120, 0.8)))
      out.put(
        `,"structuredPatch":[{"oldStart":${random.below(900)},"oldLines":6,"newStart":7,"newLines":8,"lines":[" a","-b","+c"]}],"userModified":false}`,
      )
      return
    default:
      out.put(
        `{"mode":"files","filenames":["${filePath(ctx)}","${filePath(ctx)}"],"numFiles":2,"durationMs":${random.below(900)}}`,
      )
  }
}
