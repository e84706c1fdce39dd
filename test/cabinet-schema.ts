import * as v from 'valibot'

/**
 * One line of the events of the Test Cabinet, field by field as spec test-cabinet §1 has them: what is not named there may
 * not be there, and nothing but tokens may be null.
 */

const int32 = v.pipe(v.number(), v.integer(), v.minValue(-0x80000000), v.maxValue(0x7fffffff))
const line = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(0xffffffff))
const count = v.nullable(v.pipe(v.number(), v.integer(), v.minValue(0)))
const timestamp = v.pipe(
  v.string(),
  v.regex(
    /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:(?:[0-5]\d|60)(?:\.\d+)?Z$/,
  ),
)
const words = v.optional(v.string())
const success = v.optional(v.boolean())
const lines = { startLine: v.optional(line), endLine: v.optional(line) }

/** An event that belongs to a session once that is known. */
const event = <const Type extends string, const Fields extends v.ObjectEntries>(type: Type, fields: Fields) =>
  v.strictObject({
    timestamp,
    sessionId: v.optional(v.pipe(v.string(), v.nonEmpty())),
    type: v.literal(type),
    ...fields,
  })

const cabinetEvent = v.variant('type', [
  event('agent', { message: v.pipe(v.string(), v.nonEmpty()) }),
  event('reasoning', { message: v.pipe(v.string(), v.nonEmpty()) }),
  event('command', {
    command: v.string(),
    workingDirectory: words,
    exitCode: v.optional(int32),
    isSuccess: success,
  }),
  event('read', { path: v.string(), ...lines, isSuccess: success }),
  event('write', { path: v.string(), ...lines, isSuccess: success }),
  event('search', { query: v.string(), path: words, isSuccess: success }),
  event('list', { path: words, isSuccess: success }),
  event('skill', { path: v.string(), skillName: words, ...lines, isSuccess: success }),
  event('orchestration', {
    action: v.picklist(['subagent_started', 'subagent_completed', 'subagent_failed']),
    subagentId: words,
    subagentName: words,
    isSuccess: success,
  }),
  event('usage', {
    tokens: v.strictObject({ uncachedInput: count, cachedInput: count, output: count, reasoning: count }),
    cost: v.optional(v.number()),
  }),
  event('error', { message: v.string(), code: words }),
  event('warning', { message: v.string(), code: words }),
  v.strictObject({
    timestamp,
    type: v.literal('system'),
    stage: v.string(),
    status: v.string(),
    message: v.string(),
  }),
  event('unknown', { raw: v.unknown() }),
])

export type CabinetEvent = v.InferOutput<typeof cabinetEvent>

/** Read what was written, line by line. @throws Error that names the first line that breaks the rules */
export function readCabinet(bytes: Buffer): CabinetEvent[] {
  const text = bytes.toString('utf8')
  if (text !== '' && !text.endsWith('\n')) throw new Error('the last line has no line feed')
  return text
    .split('\n')
    .slice(0, -1)
    .map((spelled, i) => {
      const parsed: unknown = JSON.parse(spelled)
      const checked = v.safeParse(cabinetEvent, parsed)
      if (checked.success) return checked.output
      const [issue] = checked.issues
      throw new Error(
        `line ${i + 1}: ${issue.message} at ${v.getDotPath(issue) ?? '?'}: ${spelled.slice(0, 200)}`,
      )
    })
}
