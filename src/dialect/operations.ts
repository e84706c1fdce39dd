import { key, keys } from '../kernel/key.ts'
import { NONE, type Node, type RecordView } from '../kernel/record.ts'

/** The harnesses whose tool names are known to the table. */
export type OperationDialect = 'claude' | 'codex' | 'b10x'

const NO_OPERATIONS: readonly string[] = Object.freeze([])
const MCP_CALL: readonly string[] = Object.freeze(['mcp.call'])

/** Operation → the tools that do it, one line each (spec metaharness-event-1 §5, b10x-harness §7). */
const TOOLS: Readonly<Record<OperationDialect, Readonly<Record<string, string>>>> = {
  claude: {
    'file.read': 'Read NotebookRead',
    'file.write': 'Write',
    'file.edit': 'Edit MultiEdit NotebookEdit',
    'dir.list': 'Glob LS',
    search: 'Grep',
    shell: 'Bash PowerShell',
    'web.read': 'WebFetch WebSearch',
    'skill.load': 'Skill SlashCommand',
    'subagent.spawn': 'Task Agent',
    'task.todo': 'TodoWrite TodoRead TaskCreate TaskUpdate TaskList TaskGet',
    'mcp.call': 'ListMcpResourcesTool ReadMcpResourceTool',
  },
  codex: {
    'file.read': 'read_file view_image',
    'file.write': 'apply_patch',
    'file.edit': 'apply_patch',
    'dir.list': 'list_dir',
    search: 'grep_files',
    shell: 'Bash exec exec_command shell shell_command local_shell local_shell_call container.exec',
    'web.read': 'web_search web_search_call',
    'subagent.spawn': 'spawn_agent',
    'task.todo': 'update_plan',
  },
  b10x: {
    'file.read': 'file_read',
    'file.write': 'file_write',
    'file.edit': 'file_edit',
    'dir.list': 'dir_list',
    search: 'search',
    find: 'find',
    shell: 'run',
  },
}

const byTool: Readonly<Record<OperationDialect, ReadonlyMap<string, readonly string[]>>> = {
  claude: invert(TOOLS.claude),
  codex: invert(TOOLS.codex),
  b10x: invert(TOOLS.b10x),
}

/** The verbs of a b10x surface, which say nothing of what is done. */
const VERBS: ReadonlySet<string> = new Set(['tool_search', 'tool_describe', 'tool_invoke'])

/**
 * What a call of `tool` does, in neutral words; empty when it is not known, which is no evidence that nothing was
 * done. The lists are shared and frozen. A tool published over MCP is `mcp.call`, whatever it does.
 */
export function operationsOf(dialect: OperationDialect, tool: string | null): readonly string[] {
  if (tool === null) return NO_OPERATIONS
  const known = byTool[dialect].get(tool)
  if (known !== undefined) return known
  return isMcp(tool) ? MCP_CALL : NO_OPERATIONS
}

/** `mcp__<server>__<tool>`, of which the tool is none of the verbs. */
function isMcp(tool: string): boolean {
  if (!tool.startsWith('mcp__')) return false
  const tail = tool.lastIndexOf('__')
  return tail > 5 && tail + 2 < tool.length && !VERBS.has(tool.slice(tail + 2))
}

const PATHS = [key('file_path'), key('notebook_path'), key('path')]
const K = keys('name', 'arguments', 'argv', 'path')

/** The files that a call names in its input: `file:<path as written>`. A command line is never parsed (§5). */
export function subjectsOf(record: RecordView, input: Node): readonly string[] {
  let subjects: string[] | undefined
  for (const path of PATHS) {
    const named = record.text(record.get(input, path))
    if (named !== null) (subjects ??= []).push(`file:${named}`)
  }
  return subjects ?? NO_OPERATIONS
}

/** The entry of the b10x catalogue behind a call and the input it got: `tool_invoke` names both in its arguments. */
export function b10xEntry(record: RecordView, tool: string | null, input: Node): [string | null, Node] {
  if (tool !== 'tool_invoke') return [tool, input]
  return [record.word(record.get(input, K.name)), record.get(input, K.arguments)]
}

/** Entries that work on the whole workspace when no path is given. */
const ROOTED: ReadonlySet<string> = new Set(['find', 'dir_list', 'search'])

/** What a call of a b10x entry is about (spec b10x-harness §7): a file, or the program it runs. */
export function b10xSubjects(record: RecordView, entry: string | null, input: Node): readonly string[] {
  if (entry === null || !byTool.b10x.has(entry)) return NO_OPERATIONS
  if (entry === 'run') {
    const argv = record.get(input, K.argv)
    const program = record.isArray(argv) ? record.text(record.first(argv)) : null
    return program === null ? NO_OPERATIONS : [`proc:${program}`]
  }
  const path = input === NONE ? null : record.text(record.get(input, K.path))
  if (path !== null) return [`file:${path}`]
  return ROOTED.has(entry) ? ['file:.'] : NO_OPERATIONS
}

function invert(table: Readonly<Record<string, string>>): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>()
  for (const [operation, tools] of Object.entries(table)) {
    for (const tool of tools.split(' ')) {
      const operations = found.get(tool)
      if (operations === undefined) found.set(tool, [operation])
      else operations.push(operation)
    }
  }
  for (const operations of found.values()) Object.freeze(operations)
  return found
}
