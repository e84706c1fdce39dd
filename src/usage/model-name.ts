/** Something that is known under a name, and which wrappers were taken off to get there. */
export interface Resolved<T> {
  readonly found: T
  /** `exact`, or the wrappers in the order they were taken off: `gateway/ + vendor/ + -date`. */
  readonly rule: string
}

/** What a table of names can say. Names come in lower case. */
export interface NameTable<T> {
  find(name: string): T | undefined
  /** Whether `name-20260131` is a snapshot of what is known as `name`, by its vendor's own habit. */
  hasSnapshots(found: T): boolean
}

interface Wrapper {
  readonly rule: string
  readonly pattern: RegExp
  /** What takes the place of the match. */
  readonly becomes: string
}

const DATE_RULE = '-date'

/** What gateways and clouds put around a vendor's own name; tried in this order. */
const WRAPPERS: readonly Wrapper[] = [
  { rule: '[1m]', pattern: /\[1m\]$/, becomes: '' },
  {
    rule: 'gateway/',
    pattern:
      /^(?:openrouter|litellm|bedrock|vertex_ai|vertex|azure|github-copilot|copilot|vercel|requesty)\//,
    becomes: '',
  },
  {
    rule: 'vendor/',
    pattern:
      /^(?:anthropic|openai|google|gemini|x-ai|xai|moonshotai|moonshot-ai|deepseek|z-ai|zai|zhipuai|minimax|mistralai|mistral|cursor)\//,
    becomes: '',
  },
  { rule: 'region.', pattern: /^(?:us|eu|apac|global|jp|au|us-gov)\.(?=anthropic\.)/, becomes: '' },
  { rule: 'anthropic.', pattern: /^anthropic\./, becomes: '' },
  { rule: '-v1:0', pattern: /-v\d+:\d+$|-v1$/, becomes: '' },
  { rule: '@default', pattern: /@default$/, becomes: '' },
  { rule: '@date', pattern: /@(\d{8})$/, becomes: '-$1' },
  { rule: DATE_RULE, pattern: /-20\d\d(?:[01]\d[0-3]\d|-[01]\d-[0-3]\d)$/, becomes: '' },
]

/**
 * Find a model: by its exact name (case aside), else with one declared wrapper after the other taken off, else not.
 * Never by a part of its name: `claude-haiku-4-55` is not `claude-haiku-4-5`.
 */
export function resolveModel<T>(table: NameTable<T>, model: string): Resolved<T> | null {
  let name = model.toLowerCase()
  const rules: string[] = []
  for (;;) {
    const found = table.find(name)
    if (found !== undefined && (!rules.includes(DATE_RULE) || table.hasSnapshots(found))) {
      return { found, rule: rules.join(' + ') || 'exact' }
    }
    const wrapper = WRAPPERS.find(({ pattern }) => pattern.test(name))
    // The date is the last thing that can be a wrapper: what is left is the name, or unknown.
    if (wrapper === undefined || rules.includes(DATE_RULE)) return null
    name = name.replace(wrapper.pattern, wrapper.becomes)
    rules.push(wrapper.rule)
  }
}
