import { Shape } from '../../kernel/shape.ts'

/** Names of one need, most usual first. */
export type ArgumentNames = Shape<string>

function names(spaced: string): ArgumentNames {
  return new Shape(...spaced.split(/\s+/))
}

/**
 * Where the harnesses put what the events ask for, one list a need, most usual name first; the first one that is there
 * counts (spec test-cabinet §4.2, with the names of the harnesses it does not know). Own names of the events are in it, so
 * that what was read from them is written again.
 */
export const NAMES = {
  path: names(
    `notebook_path notebookPath path file_path filePath filepath abs_path absolutePath absolute_path target_file
    targetFile relative_workspace_path file source`,
  ),
  startLine: names('offset start_line startLine line line_offset start_line_one_indexed'),
  endLine: names('end_line endLine end_line_one_indexed end_line_one_indexed_inclusive'),
  lineCount: names('limit line_count lineCount num_lines numLines n_lines'),
  lineRange: names('view_range viewRange read_range readRange range'),
  files: names('files paths file_paths filePaths changes include'),
  query: names(
    'pattern query regex glob search searchText q glob_pattern globPattern filePattern search_term',
  ),
  queries: names('queries patterns'),
  scope: names(
    'path dir directory cwd scope dir_path directory_path target_directory targetDirectory folder',
  ),
  folder: names(
    'path dir directory dir_path directory_path directoryPath target_directory relative_workspace_path folder',
  ),
  command: names('command cmd script argv command_line commandLine'),
  commands: names('commands'),
  workingDirectory: names(
    'workdir cwd working_directory workingDirectory working_dir workDir dir_path directory',
  ),
  skillName: names('skill skill_name skillName name command'),
  skillPath: names('path file_path filePath skillPath'),
  skillFolder: names('dir directory'),
  patch: names('patch diff unified_diff patchText patch_text content input'),
  subagentId: names('subagentId sessionId session_id agentId agent_id id'),
  subagentName: names(
    'subagentName name subagent_type subagentType agent_type agentType agent subagent agent_name subagent_name profile description',
  ),
  background: names('run_in_background background'),
  /** What a tool of several commands is to do: `view` makes an editor a reader. */
  action: names('command'),
  /** Arguments of a tool behind another tool. */
  inner: names('arguments'),
} as const

/** Harnesses that count the lines of `offset` from 0. */
export const OFFSET_FROM_ZERO: ReadonlySet<string> = new Set(['go-agent-harness', 'gemini', 'qwen'])

/** Tools whose call returns when the subagent has begun, by harness. */
const BACKGROUND_SPAWNS: Readonly<Record<string, readonly string[]>> = {
  codex: ['spawn_agent'],
  'go-agent-harness': ['start_subagent'],
}

/** Whether a call of this tool returns before its subagent is done, so that the result says nothing of how that ended. */
export function spawnsInBackground(harness: string | null, tool: string | null): boolean {
  if (harness === null || tool === null || !Object.hasOwn(BACKGROUND_SPAWNS, harness)) return false
  return BACKGROUND_SPAWNS[harness]?.includes(tool) === true
}

/** Operations of tools that the shared table leaves without: in the neutral words these have none. */
const UNLISTED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  b10x: { delegate: 'subagent.spawn', skill: 'skill.load' },
}

/** The operation of a tool in words of the cabinet only; null where the neutral words have one, or nobody has. */
export function unlistedOperation(harness: string | null, tool: string | null): string | null {
  if (harness === null || tool === null || !Object.hasOwn(UNLISTED, harness)) return null
  const tools = UNLISTED[harness]
  return tools !== undefined && Object.hasOwn(tools, tool) ? (tools[tool] ?? null) : null
}
