import type { ToolCounts } from './census-counts.ts'

/** Calls without a result that are followed; when there are more, the oldest are forgotten. */
const MOST_OPEN = 65_536
/** Answered calls that are still known, for a denial that is told after its result. */
const MOST_ANSWERED = 1024
/** UTF-16 units; a longer id is not followed. */
const LONGEST_ID = 1024

/** Which tool a call id stands for: the latest request with that id. */
export class OpenCalls {
  private readonly waiting = new Map<string, ToolCounts>()
  private readonly answered = new Map<string, ToolCounts>()

  open(id: string, tool: ToolCounts): void {
    putLast(this.waiting, id, tool, MOST_OPEN)
  }

  /** The tool whose result this is; the call is closed. */
  answer(id: string): ToolCounts | undefined {
    const tool = this.waiting.get(id)
    if (tool === undefined) return undefined
    this.waiting.delete(id)
    putLast(this.answered, id, tool, MOST_ANSWERED)
    return tool
  }

  /** The tool of a call that is open or was answered a short while ago. */
  find(id: string): ToolCounts | undefined {
    return this.waiting.get(id) ?? this.answered.get(id)
  }
}

/** Keep `id`, up to `most` of them. @returns whether it is new, as far as ids are kept */
export function rememberId(ids: Set<string>, id: string, most: number): boolean {
  if (ids.has(id)) return false
  if (ids.size < most && id.length <= LONGEST_ID) ids.add(id)
  return true
}

function putLast(calls: Map<string, ToolCounts>, id: string, tool: ToolCounts, most: number): void {
  if (id.length > LONGEST_ID) return
  calls.delete(id)
  if (calls.size >= most) {
    for (const oldest of calls.keys()) {
      calls.delete(oldest)
      break
    }
  }
  calls.set(id, tool)
}
