/** The harnesses whose tool names are known to the table. */
export type OperationDialect =
  | 'claude'
  | 'codex'
  | 'b10x'
  | 'go-agent-harness'
  | 'copilot'
  | 'cursor'
  | 'amp'
  | 'pi'
  | 'goose'
  | 'droid'
  | 'kimi'
  | 'cline'
  | 'gemini'
  | 'qwen'
  | 'opencode'

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
    'file.write': 'apply_patch file_change',
    'file.edit': 'apply_patch file_change',
    'dir.list': 'list_dir',
    search: 'grep_files',
    shell:
      'Bash exec exec_command shell shell_command local_shell local_shell_call container.exec unified_exec write_stdin command_execution',
    'web.read': 'web_search web_search_call',
    'subagent.spawn': 'spawn_agent',
    'task.todo': 'update_plan todo_list',
    'mcp.call': 'list_mcp_resources list_mcp_resource_templates read_mcp_resource',
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
  'go-agent-harness': {
    'file.read': 'read file_inspect',
    'file.write': 'write download apply_patch',
    'file.edit': 'edit apply_patch',
    'dir.list': 'ls glob',
    search: 'grep',
    shell: 'bash',
    'web.read': 'fetch web_fetch web_search sourcegraph',
    'skill.load': 'skill',
    'subagent.spawn': 'spawn_agent agent run_agent start_subagent agent_swarm',
    'task.todo': 'todos',
  },
  copilot: {
    'file.read': 'view',
    'file.write': 'create',
    'file.edit': 'edit str_replace_editor apply_patch',
    'dir.list': 'glob',
    search: 'grep rg',
    shell:
      'bash powershell shell read_bash write_bash stop_bash read_powershell write_powershell stop_powershell',
    'web.read': 'web_fetch web_search fetch',
    'skill.load': 'skill',
    'subagent.spawn': 'task',
    'task.todo': 'update_todo',
  },
  cursor: {
    'file.read': 'readToolCall Read read_file',
    'file.write': 'writeToolCall Write write_file create_file',
    'file.edit': 'editToolCall deleteToolCall Edit StrReplace MultiEdit edit_file search_replace delete_file',
    'dir.list': 'lsToolCall globToolCall LS Glob list_dir file_search glob_file_search',
    search: 'grepToolCall semSearchToolCall Grep SemanticSearch grep grep_search codebase_search',
    shell: 'shellToolCall Shell Bash run_terminal_cmd run_terminal_command',
    'web.read': 'webFetchToolCall webSearchToolCall fetchToolCall WebFetch WebSearch web_search fetch',
    'skill.load': 'Skill',
    'subagent.spawn': 'taskToolCall Task',
    'task.todo': 'todoToolCall updateTodosToolCall readTodosToolCall TodoWrite todo_write',
    'mcp.call': 'mcpToolCall listMcpResourcesToolCall readMcpResourceToolCall call_mcp_tool CallMcpTool',
  },
  amp: {
    'file.read': 'Read read_file look_at',
    'file.write': 'Write create_file',
    'file.edit': 'Edit edit_file undo_edit apply_patch',
    'dir.list': 'LS glob Glob list_directory',
    search: 'Grep grep finder codebase_search_agent',
    shell: 'Bash shell_command',
    'web.read': 'read_web_page web_search',
    'skill.load': 'skill',
    'subagent.spawn': 'Task oracle librarian',
    'task.todo': 'todo_read todo_write task_list',
  },
  pi: {
    'file.read': 'read',
    'file.write': 'write',
    'file.edit': 'edit',
    'dir.list': 'ls list',
    search: 'grep find glob search',
    shell: 'bash shell',
    'subagent.spawn': 'subagent task',
    'task.todo': 'todo',
  },
  goose: {
    'file.read': 'read read_image',
    'file.write': 'write',
    'file.edit': 'edit',
    'dir.list': 'list tree',
    search: 'grep glob',
    shell: 'shell',
    'web.read': 'web_scrape',
    'skill.load': 'load_skill skill',
    'subagent.spawn': 'delegate subagent create_task execute_task',
    'task.todo': 'todo_read todo_write',
  },
  droid: {
    'file.read': 'Read view_image',
    'file.write': 'Create Write',
    'file.edit': 'Edit MultiEdit ApplyPatch',
    'dir.list': 'LS Glob',
    search: 'Grep',
    shell: 'Execute',
    'web.read': 'FetchUrl WebSearch',
    'skill.load': 'Skill',
    'subagent.spawn': 'Task',
    'task.todo': 'TodoWrite',
  },
  kimi: {
    'file.read': 'Read ReadFile ReadMediaFile',
    'file.write': 'Write WriteFile',
    'file.edit': 'Edit StrReplaceFile PatchFile',
    'dir.list': 'Glob',
    search: 'Grep',
    shell: 'Bash Shell',
    'web.read': 'FetchURL WebSearch SearchWeb',
    'skill.load': 'Skill',
    'subagent.spawn': 'Agent AgentSwarm Task CreateSubagent',
    'task.todo': 'TodoList SetTodoList',
  },
  cline: {
    'file.read': 'read_files read_file readFile',
    'file.write': 'write_to_file new_rule newFileCreated apply_patch',
    'file.edit': 'editor replace_in_file editedExistingFile apply_patch',
    'dir.list': 'list_files list_code_definition_names listFilesTopLevel listFilesRecursive',
    search: 'search_files search_codebase searchFiles',
    shell: 'run_commands execute_command bash',
    'web.read': 'web_fetch web_search fetch_web_content webFetch',
    'skill.load': 'skills use_skill',
    'subagent.spawn': 'use_subagents spawn_agent',
    'mcp.call': 'use_mcp_tool access_mcp_resource',
  },
  gemini: {
    'file.read': 'read_file read_many_files get_internal_docs',
    'file.write': 'write_file',
    'file.edit': 'replace',
    'dir.list': 'list_directory glob',
    search: 'grep_search search_file_content',
    shell: 'run_shell_command',
    'web.read': 'google_web_search web_fetch',
    'skill.load': 'activate_skill',
    'subagent.spawn': 'delegate_to_agent invoke_agent codebase_investigator',
    'task.todo': 'write_todos',
  },
  qwen: {
    'file.read': 'read_file read_many_files',
    'file.write': 'write_file',
    'file.edit': 'edit replace notebook_edit',
    'dir.list': 'list_directory glob',
    search: 'grep_search search_file_content',
    shell: 'run_shell_command',
    'web.read': 'web_fetch web_search',
    'skill.load': 'skill',
    'subagent.spawn': 'task agent',
    'task.todo': 'todo_write',
  },
  opencode: {
    'file.read': 'read',
    'file.write': 'write apply_patch patch',
    'file.edit': 'edit multiedit apply_patch patch',
    'dir.list': 'list glob',
    search: 'grep codesearch lsp',
    shell: 'bash background_process',
    'web.read': 'webfetch websearch',
    'skill.load': 'skill',
    'subagent.spawn': 'task agent_manager',
    'task.todo': 'todowrite todoread todo',
  },
}

const byTool: Readonly<Record<OperationDialect, ReadonlyMap<string, readonly string[]>>> = {
  claude: invert(TOOLS.claude),
  codex: invert(TOOLS.codex),
  b10x: invert(TOOLS.b10x),
  'go-agent-harness': invert(TOOLS['go-agent-harness']),
  copilot: invert(TOOLS.copilot),
  cursor: invert(TOOLS.cursor),
  amp: invert(TOOLS.amp),
  pi: invert(TOOLS.pi),
  goose: invert(TOOLS.goose),
  droid: invert(TOOLS.droid),
  kimi: invert(TOOLS.kimi),
  cline: invert(TOOLS.cline),
  gemini: invert(TOOLS.gemini),
  qwen: invert(TOOLS.qwen),
  opencode: invert(TOOLS.opencode),
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

/** Does the table name this tool? */
export function isListed(dialect: OperationDialect, tool: string): boolean {
  return byTool[dialect].has(tool)
}

/** As `operationsOf`, for the slug of any harness; empty for one without a table. */
export function operationsOfHarness(harness: string | null, tool: string | null): readonly string[] {
  // Kilo is made of OpenCode, and its own tools are in the same table.
  const table = harness === 'kilo' ? 'opencode' : harness
  return table !== null && isTabled(table) ? operationsOf(table, tool) : NO_OPERATIONS
}

function isTabled(harness: string): harness is OperationDialect {
  return Object.hasOwn(byTool, harness)
}

/** `mcp__<server>__<tool>`, of which the tool is none of the verbs. */
function isMcp(tool: string): boolean {
  if (!tool.startsWith('mcp__')) return false
  const tail = tool.lastIndexOf('__')
  return tail > 5 && tail + 2 < tool.length && !VERBS.has(tool.slice(tail + 2))
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
