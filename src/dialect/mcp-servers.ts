import type { SessionStarted } from '../event/events.ts'
import { keys } from '../kernel/key.ts'
import type { Node, RecordView } from '../kernel/record.ts'
import { children, textAt } from './values.ts'

const K = keys('name', 'status')

/** The MCP servers in an opening record, which are objects of a name and a status; null when it lists none. */
export function mcpServersAt(record: RecordView, servers: Node): SessionStarted['mcpServers'] {
  if (!record.isArray(servers)) return null
  return children(record, servers, (server) => ({
    name: textAt(record, record.get(server, K.name)),
    status: textAt(record, record.get(server, K.status)),
  }))
}
