import type { SessionStarted } from '../../event/events.ts'
import type { Text } from '../../event/value.ts'
import { keys } from '../../kernel/key.ts'
import { NONE, type Node, type RecordView } from '../../kernel/record.ts'
import { operationsOf } from '../operations.ts'
import { children, textAt, textsAt } from '../values.ts'
import { sessionStart } from '../session-events.ts'
import { firstItem } from './fields.ts'

const K = keys(
  'claude_code_version',
  'session_id',
  'model',
  'permissionMode',
  'apiKeySource',
  'output_style',
  'cwd',
  'tools',
  'slash_commands',
  'skills',
  'agents',
  'plugins',
  'mcp_servers',
  'name',
  'source',
  'version',
  'status',
)

/** `session.started` out of a `system`/`init` record (spec metaharness-event-1 §8). */
export function sessionFromInit(record: RecordView, at: Text): SessionStarted {
  const { root } = record
  const tools = record.get(root, K.tools)
  return sessionStart('claude', {
    at,
    harnessVersion: textAt(record, record.get(root, K.claude_code_version)),
    sessionId: textAt(record, record.get(root, K.session_id)),
    model: textAt(record, record.get(root, K.model)),
    permissionMode: textAt(record, record.get(root, K.permissionMode)),
    credentialSource: textAt(record, record.get(root, K.apiKeySource)),
    outputStyle: textAt(record, record.get(root, K.output_style)),
    cwd: textAt(record, record.get(root, K.cwd)),
    offeredTools: textsAt(record, tools),
    availableOperations: operationsOffered(record, tools),
    slashCommands: textsAt(record, record.get(root, K.slash_commands)),
    skills: textsAt(record, record.get(root, K.skills)),
    agents: textsAt(record, record.get(root, K.agents)),
    plugins: objects(record, record.get(root, K.plugins), (plugin) => ({
      name: textAt(record, record.get(plugin, K.name)),
      source: textAt(record, record.get(plugin, K.source)),
      version: textAt(record, record.get(plugin, K.version)),
    })),
    mcpServers: objects(record, record.get(root, K.mcp_servers), (server) => ({
      name: textAt(record, record.get(server, K.name)),
      status: textAt(record, record.get(server, K.status)),
    })),
  })
}

/** What the offered tools can do, sorted and each once; null when none of them is in the table. */
function operationsOffered(record: RecordView, list: Node): readonly string[] | null {
  const found = new Set<string>()
  for (let tool = firstItem(record, list); tool !== NONE; tool = record.next(tool)) {
    for (const operation of operationsOf('claude', record.text(tool))) found.add(operation)
  }
  return found.size === 0 ? null : [...found].toSorted()
}

/** One entry for each object of a list; null when there is no list. */
function objects<Entry>(
  record: RecordView,
  list: Node,
  read: (item: Node) => Entry,
): readonly Entry[] | null {
  if (!record.isArray(list)) return null
  return children(record, list, (item) => (record.isObject(item) ? read(item) : null))
}
