import { describe, expect, test } from 'vitest'
import { metaharness } from '../../src/dialect/metaharness.ts'
import { bare, cabinetFrom, cabinetOf, json } from './cabinet-writing.ts'
import { sessionStarted, toolRequested, toolResult } from './events.ts'

/** What a call comes to in a few words; `unknown` for one that is not understood. */
type Row = readonly [tool: string, input: unknown, ...does: readonly string[]]

const patch = '*** Begin Patch\n*** Update File: a.ts\n@@\n-x\n+y\n*** Add File: /x/b.ts\n*** End Patch'

/** Calls of the tools of each harness, in a session whose working directory is /w. */
const TOOLS: Readonly<Record<string, readonly Row[]>> = {
  claude: [
    ['Read', { file_path: 'src/a.ts', offset: 40, limit: 25 }, 'read /w/src/a.ts 40-64'],
    ['Read', { file_path: '/x/./y/../a.ts', offset: 0, limit: 25 }, 'read /x/a.ts'],
    ['Write', { file_path: 'a.ts', content: 'x' }, 'write /w/a.ts'],
    ['Edit', { file_path: 'a.ts', old_string: 'a', new_string: 'b' }, 'write /w/a.ts'],
    ['MultiEdit', { file_path: 'a.ts', edits: [{ old_string: 'a' }] }, 'write /w/a.ts'],
    ['NotebookEdit', { notebook_path: 'n.ipynb', new_source: 'x' }, 'write /w/n.ipynb'],
    ['Grep', { pattern: 'a|b', path: 'src', glob: '*.ts', output_mode: 'content' }, 'search a|b in /w/src'],
    ['Glob', { pattern: '**/*.ts', path: './src/../lib' }, 'search **/*.ts in /w/lib'],
    ['LS', { path: '/w/src/', ignore: ['x'] }, 'list /w/src'],
    ['LS', {}, 'list'],
    ['Bash', { command: 'npm test', description: 'Run', timeout: 1000 }, 'command npm test'],
    ['Bash', { command: "sed -n '3,9p' src/a.ts" }, 'read src/a.ts 3-9'],
    ['Bash', { command: 'cd src && ls' }, 'list src'],
    ['PowerShell', { command: 'Get-ChildItem' }, 'command Get-ChildItem'],
    ['Skill', { skill: 'tides', args: 'north' }, 'skill /w/skills/tides/SKILL.md (tides)'],
    ['SlashCommand', { command: '/review src' }, 'skill /w/skills/review/SKILL.md (review)'],
    [
      'Task',
      { subagent_type: 'scout', description: 'Look', prompt: 'x' },
      'started c0 scout',
      'completed c0 scout',
    ],
    ['WebFetch', { url: 'https://example.com', prompt: 'x' }, 'unknown'],
    ['TodoWrite', { todos: [] }, 'unknown'],
    ['StructuredOutput', { ok: true }, 'unknown'],
    ['mcp__files__read_file', { path: 'a.ts' }, 'unknown'],
    ['ListMcpResourcesTool', {}, 'unknown'],
  ],
  codex: [
    ['shell', { command: ['bash', '-lc', 'rg -n x src'], workdir: '/w/app' }, 'search x in /w/app/src'],
    ['shell', { command: ['npm', 'run', 'it works'] }, "command npm run 'it works'"],
    ['exec_command', { cmd: 'make all', workdir: 'app' }, 'command make all in /w/app'],
    ['exec_command', { cmd: "nl -ba a.ts | sed -n '1,20p'", workdir: '/w' }, 'read /w/a.ts 1-20'],
    ['local_shell_call', { command: ['ls', 'src'] }, 'list src'],
    ['command_execution', "/bin/bash -lc 'cat a.ts'", 'read a.ts'],
    ['apply_patch', { input: patch }, 'write /w/a.ts', 'write /x/b.ts'],
    ['apply_patch', patch, 'write /w/a.ts', 'write /x/b.ts'],
    [
      'apply_patch',
      { '/w/a.ts': { type: 'update' }, '/w/b.ts': { type: 'add' } },
      'write /w/a.ts',
      'write /w/b.ts',
    ],
    [
      'file_change',
      [
        { path: 'a.ts', kind: 'add' },
        { path: 'b.ts', kind: 'delete' },
      ],
      'write /w/a.ts',
      'write /w/b.ts',
    ],
    ['read_file', { file_path: '/w/a.ts', offset: 1, limit: 10 }, 'read /w/a.ts 1-10'],
    ['view_image', { path: 'shot.png' }, 'read /w/shot.png'],
    ['list_dir', { dir_path: '/w/src' }, 'list /w/src'],
    ['grep_files', { pattern: 'x', include: '*.ts', path: 'src' }, 'search x in /w/src'],
    ['spawn_agent', { agent_type: 'scout', message: 'look' }, 'started c0 scout, true'],
    ['write_stdin', { session_id: 3, chars: 'y' }, 'unknown'],
    ['update_plan', { plan: [] }, 'unknown'],
    ['web_search', { query: 'tides' }, 'unknown'],
    ['apply_patch', 'no patch at all', 'unknown'],
    ['exec', 'const { stdout } = await tools.run()', 'command const { stdout } = await tools.run()'],
  ],
  b10x: [
    ['file_read', { path: 'a.md' }, 'read /w/a.md'],
    ['file_write', { path: 'a.md', text: 'x' }, 'write /w/a.md'],
    ['file_edit', { path: 'a.md', edits: [] }, 'write /w/a.md'],
    ['dir_list', { path: 'src' }, 'list /w/src'],
    ['dir_list', {}, 'list'],
    ['search', { pattern: 'x', path: 'src' }, 'search x in /w/src'],
    ['find', { pattern: '*.ts' }, 'search *.ts'],
    ['find', { path: 'src' }, 'list /w/src'],
    ['run', { argv: ['npm', 'test'] }, 'command npm test'],
    ['run', { argv: ['cat', 'a.md'], cwd: 'docs' }, 'read /w/docs/a.md'],
    ['delegate', { task: 'north' }, 'started c0', 'completed c0'],
    ['skill', { name: 'tides' }, 'skill /w/skills/tides/SKILL.md (tides)'],
    ['answer', { n: 1 }, 'unknown'],
    ['tool_search', { query: 'x' }, 'unknown'],
    ['mcp__files__read', { path: 'a' }, 'unknown'],
  ],
  'go-agent-harness': [
    ['read', { path: 'a.go', offset: 9, limit: 5 }, 'read /w/a.go 10-14'],
    ['file_inspect', { path: 'a.go' }, 'read /w/a.go'],
    ['write', { path: 'a.go', content: 'x' }, 'write /w/a.go'],
    ['edit', { path: 'a.go', old_text: 'x' }, 'write /w/a.go'],
    [
      'apply_patch',
      { unified_diff: '--- a/a.go\n+++ b/a.go\n@@\n--- /dev/null\n+++ b/c.go\t2026' },
      'write /w/a.go',
      'write /w/c.go',
    ],
    ['download', { url: 'https://example.com', file_path: 'x.bin' }, 'write /w/x.bin'],
    ['grep', { query: 'x', path: 'src' }, 'search x in /w/src'],
    ['glob', { pattern: '*.go' }, 'search *.go'],
    ['ls', { path: 'src' }, 'list /w/src'],
    ['bash', { command: 'go test ./...', working_dir: 'src' }, 'command go test ./... in /w/src'],
    ['skill', { command: 'tides north' }, 'skill /w/skills/tides/SKILL.md (tides)'],
    ['run_agent', { profile: 'scout', task: 'x' }, 'started c0 scout', 'completed c0 scout'],
    ['start_subagent', { profile: 'scout' }, 'started c0 scout, true'],
    ['todos', { todos: [] }, 'unknown'],
  ],
  copilot: [
    ['view', { path: '/w/a.ts', view_range: [3, 9] }, 'read /w/a.ts 3-9'],
    ['view', { path: '/w/a.ts', view_range: [3, -1] }, 'read /w/a.ts 3-'],
    ['create', { path: 'a.ts', file_text: 'x' }, 'write /w/a.ts'],
    ['edit', { path: 'a.ts', old_str: 'x' }, 'write /w/a.ts'],
    ['str_replace_editor', { command: 'view', path: 'a.ts', view_range: [1, 2] }, 'read /w/a.ts 1-2'],
    ['str_replace_editor', { command: 'str_replace', path: 'a.ts' }, 'write /w/a.ts'],
    ['glob', { pattern: '*.ts', path: 'src' }, 'search *.ts in /w/src'],
    ['grep', { pattern: 'x', glob: '*.ts' }, 'search x'],
    ['bash', { command: 'npm test', sessionId: 'main' }, 'command npm test'],
    ['read_bash', { sessionId: 'main', delay: 5 }, 'unknown'],
    ['task', { agent_type: 'explore', description: 'Look' }, 'started c0 explore', 'completed c0 explore'],
    ['skill', { skill: 'tides' }, 'skill /w/skills/tides/SKILL.md (tides)'],
  ],
  cursor: [
    ['readToolCall', { path: 'a.ts', offset: 2, limit: 3 }, 'read /w/a.ts 2-4'],
    [
      'read_file',
      { target_file: 'a.ts', start_line_one_indexed: 5, end_line_one_indexed_inclusive: 9 },
      'read /w/a.ts 5-9',
    ],
    ['writeToolCall', { path: 'a.ts', fileText: 'x' }, 'write /w/a.ts'],
    ['editToolCall', { path: 'a.ts' }, 'write /w/a.ts'],
    ['deleteToolCall', { path: 'a.ts' }, 'write /w/a.ts'],
    ['lsToolCall', { path: 'src' }, 'list /w/src'],
    ['list_dir', { relative_workspace_path: 'src' }, 'list /w/src'],
    ['globToolCall', { globPattern: '*.ts', targetDirectory: 'src' }, 'search *.ts in /w/src'],
    ['grepToolCall', { pattern: 'x', path: 'src' }, 'search x in /w/src'],
    ['codebase_search', { query: 'where', target_directories: [] }, 'search where'],
    ['shellToolCall', { command: 'npm test', workingDirectory: '' }, 'command npm test'],
    ['taskToolCall', { description: 'Look' }, 'started c0 Look', 'completed c0 Look'],
    ['todoToolCall', { todos: [] }, 'unknown'],
  ],
  amp: [
    ['Read', { path: '/w/a.ts', read_range: [5, 9] }, 'read /w/a.ts 5-9'],
    ['create_file', { path: '/w/a.ts', content: 'x' }, 'write /w/a.ts'],
    ['edit_file', { path: '/w/a.ts', old_str: 'x' }, 'write /w/a.ts'],
    ['apply_patch', { patchText: patch }, 'write /w/a.ts', 'write /x/b.ts'],
    ['list_directory', { path: 'src' }, 'list /w/src'],
    ['glob', { filePattern: '*.ts' }, 'search *.ts'],
    ['Grep', { pattern: 'x', path: 'src' }, 'search x in /w/src'],
    ['finder', { query: 'where' }, 'search where'],
    ['Bash', { cmd: 'npm test', cwd: '/w/app' }, 'command npm test in /w/app'],
    ['shell_command', { command: 'git status', workdir: '/w' }, 'command git status in /w'],
    ['Task', { description: 'Look', prompt: 'x' }, 'started c0 Look', 'completed c0 Look'],
    ['read_web_page', { url: 'https://example.com' }, 'unknown'],
  ],
  pi: [
    ['read', { path: 'a.ts', offset: 2, limit: 3 }, 'read /w/a.ts 2-4'],
    ['write', { path: 'a.ts', content: 'x' }, 'write /w/a.ts'],
    ['edit', { path: 'a.ts', oldText: 'x' }, 'write /w/a.ts'],
    ['bash', { command: 'make all' }, 'command make all'],
    ['bash', { command: 'rg x src | head -5' }, 'search x in src'],
    ['grep', { pattern: 'snake', path: 'src' }, 'search snake in /w/src'],
    ['find', { pattern: '*.ts', path: 'src' }, 'search *.ts in /w/src'],
    ['ls', { path: 'src' }, 'list /w/src'],
    ['subagent', { agent: 'scout', task: 'x' }, 'started c0 scout', 'completed c0 scout'],
    ['todo', {}, 'unknown'],
  ],
  goose: [
    ['read', { path: 'a.md', start_line: '2', end_line: 4 }, 'read /w/a.md 2-4'],
    ['read_image', { source: '/w/ref.png' }, 'read /w/ref.png'],
    ['write', { path: 'a.md', content: 'x' }, 'write /w/a.md'],
    ['edit', { path: 'a.md', before: 'x' }, 'write /w/a.md'],
    ['shell', { command: 'npm test' }, 'command npm test'],
    ['list', { path: '/w' }, 'list /w'],
    ['tree', { path: 'src', depth: 2 }, 'list /w/src'],
    ['grep', { pattern: 'x' }, 'search x'],
    ['glob', { pattern: '*.md', path: 'docs' }, 'search *.md in /w/docs'],
    ['load_skill', { name: 'tides' }, 'skill /w/skills/tides/SKILL.md (tides)'],
    ['delegate', { instructions: 'x' }, 'started c0', 'completed c0'],
    ['todo_write', { content: 'x' }, 'unknown'],
  ],
  droid: [
    ['Read', { file_path: '/w/a.ts', offset: 5, limit: 5 }, 'read /w/a.ts 5-9'],
    ['Create', { file_path: '/w/a.ts', content: 'x' }, 'write /w/a.ts'],
    ['Edit', { file_path: '/w/a.ts', old_str: 'x' }, 'write /w/a.ts'],
    ['ApplyPatch', { input: patch }, 'write /w/a.ts', 'write /x/b.ts'],
    ['LS', { directory_path: '/w/src' }, 'list /w/src'],
    ['Glob', { patterns: ['*.ts', '*.md'], folder: 'src' }, 'search *.ts in /w/src', 'search *.md in /w/src'],
    ['Grep', { pattern: 'x', path: 'src' }, 'search x in /w/src'],
    ['Execute', { command: 'npm test', riskLevel: 'low' }, 'command npm test'],
    ['Skill', { skill: 'tides' }, 'skill /w/skills/tides/SKILL.md (tides)'],
    ['Task', { subagent_type: 'scout', description: 'x' }, 'started c0 scout', 'completed c0 scout'],
    ['FetchUrl', { url: 'https://example.com' }, 'unknown'],
  ],
  kimi: [
    ['Read', { path: 'a.ts', line_offset: 5, n_lines: 5 }, 'read /w/a.ts 5-9'],
    ['WriteFile', { path: 'a.ts', content: 'x' }, 'write /w/a.ts'],
    ['StrReplaceFile', { path: 'a.ts', edit: {} }, 'write /w/a.ts'],
    ['Glob', { pattern: '*.ts', directory: 'src' }, 'search *.ts in /w/src'],
    ['Grep', { pattern: 'x', path: 'src' }, 'search x in /w/src'],
    ['Shell', { command: 'npm test' }, 'command npm test'],
    ['Bash', { command: 'cat a.ts' }, 'read a.ts'],
    ['Skill', { skill: 'tides' }, 'skill /w/skills/tides/SKILL.md (tides)'],
    ['Task', { subagent_name: 'scout', prompt: 'x' }, 'started c0 scout', 'completed c0 scout'],
    ['SetTodoList', { todos: [] }, 'unknown'],
  ],
  cline: [
    [
      'read_files',
      { files: ['a.md', { path: 'b.md', start_line: 2, end_line: 4 }] },
      'read /w/a.md',
      'read /w/b.md 2-4',
    ],
    ['read_file', { path: 'a.md' }, 'read /w/a.md'],
    ['write_to_file', { path: 'a.md', content: 'x' }, 'write /w/a.md'],
    ['editor', { path: '/w/a.md' }, 'write /w/a.md'],
    ['apply_patch', { input: patch }, 'write /w/a.ts', 'write /x/b.ts'],
    ['list_files', { path: 'src' }, 'list /w/src'],
    ['search_files', { path: 'src', regex: 'x' }, 'search x in /w/src'],
    ['search_codebase', { queries: ['one', 'two'] }, 'search one', 'search two'],
    [
      'run_commands',
      { commands: ['npm ci', 'ls src', { command: 'make' }] },
      'command npm ci',
      'list src',
      'command make',
    ],
    ['execute_command', { command: 'npm test' }, 'command npm test'],
    ['use_skill', { skill_name: 'tides' }, 'skill /w/skills/tides/SKILL.md (tides)'],
    ['read_files', { files: [] }, 'unknown'],
    ['run_commands', { commands: ['npm ci', 3] }, 'unknown'],
    ['web_fetch', { url: 'https://example.com' }, 'unknown'],
  ],
  gemini: [
    ['read_file', { absolute_path: '/w/a.ts', offset: 9, limit: 5 }, 'read /w/a.ts 10-14'],
    ['read_many_files', { paths: ['a.ts', 'src/*.ts'] }, 'read /w/a.ts', 'read /w/src/*.ts'],
    ['write_file', { file_path: '/w/a.ts', content: 'x' }, 'write /w/a.ts'],
    ['replace', { file_path: '/w/a.ts', old_string: 'x' }, 'write /w/a.ts'],
    ['list_directory', { dir_path: 'src' }, 'list /w/src'],
    ['glob', { pattern: '*.ts', dir_path: 'src' }, 'search *.ts in /w/src'],
    ['search_file_content', { pattern: 'x', dir_path: 'src' }, 'search x in /w/src'],
    ['run_shell_command', { command: 'npm test', dir_path: 'app' }, 'command npm test in /w/app'],
    ['activate_skill', { name: 'tides' }, 'skill /w/skills/tides/SKILL.md (tides)'],
    ['delegate_to_agent', { agent_name: 'scout', objective: 'x' }, 'started c0 scout', 'completed c0 scout'],
    ['google_web_search', { query: 'tides' }, 'unknown'],
  ],
  qwen: [
    ['read_file', { absolute_path: '/w/a.ts' }, 'read /w/a.ts'],
    ['write_file', { file_path: '/w/a.ts', content: 'x' }, 'write /w/a.ts'],
    ['edit', { file_path: '/w/a.ts', old_string: 'x' }, 'write /w/a.ts'],
    ['list_directory', { path: '/w/src' }, 'list /w/src'],
    ['glob', { pattern: '*.ts', path: 'src' }, 'search *.ts in /w/src'],
    ['grep_search', { pattern: 'x', path: 'src' }, 'search x in /w/src'],
    ['run_shell_command', { command: 'npm test', directory: 'app' }, 'command npm test in /w/app'],
    ['task', { subagent_type: 'scout', description: 'x' }, 'started c0 scout', 'completed c0 scout'],
    ['skill', { skill: 'tides' }, 'skill /w/skills/tides/SKILL.md (tides)'],
    ['todo_write', { todos: [] }, 'unknown'],
  ],
  opencode: [
    ['read', { filePath: '/w/a.ts', offset: 10, limit: 5 }, 'read /w/a.ts 10-14'],
    ['write', { filePath: 'a.ts', content: 'x' }, 'write /w/a.ts'],
    ['edit', { filePath: 'a.ts', oldString: 'x' }, 'write /w/a.ts'],
    ['apply_patch', { patchText: patch }, 'write /w/a.ts', 'write /x/b.ts'],
    ['list', { path: 'src' }, 'list /w/src'],
    ['glob', { pattern: '**/*.ts', path: '/w/src' }, 'search **/*.ts in /w/src'],
    ['grep', { pattern: 'x' }, 'search x'],
    ['lsp', { operation: 'goToDefinition', line: 3 }, 'unknown'],
    ['bash', { command: 'npm test', workdir: '/w/app' }, 'command npm test in /w/app'],
    ['background_process', { action: 'start', command: 'npm run dev' }, 'command npm run dev'],
    ['background_process', { action: 'list' }, 'unknown'],
    ['skill', { name: 'tides' }, 'skill /w/skills/tides/SKILL.md (tides)'],
    ['task', { description: 'Look', subagent_type: 'scout' }, 'started c0 scout', 'completed c0 scout'],
    ['webfetch', { url: 'https://example.com' }, 'unknown'],
  ],
  'some-other-harness': [['Read', { file_path: 'a' }, 'unknown']],
}

describe.each(Object.entries(TOOLS))('tools of %s', (adapter, rows) => {
  test.each(rows.map((row) => ({ row })))('$row', ({ row: [tool, input, ...does] }) => {
    const { events } = cabinetOf((sink) => {
      sink.sessionStarted(sessionStarted({ adapter, cwd: '/w', sessionId: null }))
      sink.toolRequested({ ...toolRequested('c0', tool), input: json(input) })
      sink.toolResult(toolResult('c0', false))
      sink.streamClosed({ reason: 'completed' })
    })
    expect(bare(events).map(said)).toEqual(does)
  })

  test('are ten at least', () => {
    expect(rows.length).toBeGreaterThanOrEqual(adapter === 'some-other-harness' ? 1 : 10)
  })
})

describe('tools of a stream of events', () => {
  const OPERATIONS: readonly (readonly [operation: string, input: object, does: string])[] = [
    ['file.read', { path: 'a' }, 'read a'],
    ['file.write', { path: 'a' }, 'write a'],
    ['file.edit', { path: 'a' }, 'write a'],
    ['dir.list', { path: 'a' }, 'list a'],
    ['search', { query: 'x' }, 'search x'],
    ['find', { pattern: 'x' }, 'search x'],
    ['shell', { command: 'cat a' }, 'read a'],
    ['skill.load', { name: 'tides' }, 'skill skills/tides/SKILL.md (tides)'],
    ['web.read', { url: 'https://example.com' }, 'unknown'],
    ['task.todo', { todos: [] }, 'unknown'],
    ['mcp.call', { path: 'a' }, 'unknown'],
    ['time.travel', { path: 'a' }, 'unknown'],
  ]

  test.each(OPERATIONS)('do what the stream says: %s %j', (operation, input, does) => {
    const { events } = cabinetFrom(metaharness, stream('zz_tool', input, [operation]))
    expect(bare(events).map(said)[0]).toBe(does)
  })

  test('do what the table of their harness says when the stream says nothing', () => {
    const { events } = cabinetFrom(metaharness, stream('Read', { file_path: 'a' }, null))
    expect(bare(events).map(said)[0]).toBe('read a')
  })

  test('are unknown when neither does', () => {
    const { events } = cabinetFrom(metaharness, stream('zz_tool', { file_path: 'a' }, null))
    expect(bare(events)[0]).toMatchObject({
      type: 'unknown',
      raw: { event: 'tool.requested', name: 'zz_tool' },
    })
  })
})

describe('calls of a shell', () => {
  test('stay commands on demand', () => {
    expect(one('command', { cmd: 'cat a.ts' }, 0)).toEqual([
      { type: 'command', command: 'cat a.ts', exitCode: 0, isSuccess: true },
    ])
    expect(one('command', { command: ['cat', 'a b.ts'] }, 0)).toEqual([
      { type: 'command', command: "cat 'a b.ts'", exitCode: 0, isSuccess: true },
    ])
  })

  test('keep their exit code, which only commands have room for', () => {
    expect(one('classify', { cmd: 'make' }, -1)).toEqual([
      { type: 'command', command: 'make', exitCode: -1, isSuccess: false },
    ])
    expect(one('classify', { cmd: 'cat a' }, 1)).toEqual([{ type: 'read', path: 'a', isSuccess: false }])
  })

  test('that search were completed when they found nothing', () => {
    expect(one('classify', { cmd: 'rg x' }, 1)).toEqual([{ type: 'search', query: 'x', isSuccess: true }])
    expect(one('classify', { cmd: 'rg x' }, 2)).toEqual([{ type: 'search', query: 'x', isSuccess: false }])
    expect(one('classify', { cmd: 'rg x | head' }, 1)).toEqual([
      { type: 'search', query: 'x', isSuccess: false },
    ])
    expect(one('classify', { cmd: 'find . -name x' }, 1)).toEqual([
      { type: 'search', query: 'x', path: '.', isSuccess: false },
    ])
  })
})

const one = (shell: 'classify' | 'command', input: object, exitCode: number | null = null) =>
  bare(
    cabinetOf(
      (sink) => {
        sink.sessionStarted(sessionStarted({ adapter: 'codex', sessionId: null }))
        sink.toolRequested({ ...toolRequested('c0', 'shell'), input: json(input) })
        sink.toolResult({ ...toolResult('c0', exitCode === null ? null : exitCode !== 0), exitCode })
      },
      { shell },
    ).events,
  )

function stream(name: string, input: object, operations: readonly string[] | null): object[] {
  const head = { format: 'metaharness.event/1', run: 'r' }
  const started = { ...head, seq: 1, event: 'session.started', adapter: 'claude', adapter_class: 'harness' }
  const requested = {
    ...head,
    seq: 2,
    event: 'tool.requested',
    call_id: 'c0',
    name,
    input,
    ...(operations === null ? {} : { operations }),
    decision_required: false,
    deadline_ms: null,
    seam: 'none',
  }
  const answered = { ...head, seq: 3, event: 'tool.result', call_id: 'c0', is_error: false, content: 'x' }
  return [{ ...started, transcript: {}, hermetic: HERMETIC }, requested, answered]
}

const HERMETIC = {
  mode: 'off',
  decisions: 'observe',
  imposed: [],
  unavailable: [],
  ambient_inputs: [],
  installed_plugins: [],
}

/** An event in a few words; the success of a call that was waited for is not among them. */
function said(event: object): string {
  const fields = new Map<string, unknown>(Object.entries(event))
  const get = (name: string): string => String(fields.get(name))
  const within = (name: string): string => (fields.has(name) ? ` in ${get(name)}` : '')
  const type = get('type')
  switch (type) {
    case 'read':
    case 'write':
      return `${type} ${get('path')}${fields.has('startLine') ? ` ${get('startLine')}-${fields.get('endLine') ?? ''}` : ''}`
    case 'search':
      return `search ${get('query')}${within('path')}`
    case 'list':
      return fields.has('path') ? `list ${get('path')}` : 'list'
    case 'command':
      return `command ${get('command')}${within('workingDirectory')}`
    case 'skill':
      return `skill ${get('path')} (${get('skillName')})`
    case 'orchestration': {
      const action = get('action').replace('subagent_', '')
      const name = fields.has('subagentName') ? ` ${get('subagentName')}` : ''
      const success = action === 'started' && fields.has('isSuccess') ? `, ${get('isSuccess')}` : ''
      return `${action} ${get('subagentId')}${name}${success}`
    }
    default:
      return type
  }
}
