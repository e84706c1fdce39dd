import { describe, expect, test } from 'vitest'
import { operationsOf } from '../../src/dialect/operations.ts'

describe('operations of a tool', () => {
  test.each([
    { dialect: 'claude', tool: 'Read', operations: ['file.read'] },
    { dialect: 'claude', tool: 'MultiEdit', operations: ['file.edit'] },
    { dialect: 'claude', tool: 'Agent', operations: ['subagent.spawn'] },
    { dialect: 'claude', tool: 'TaskCreate', operations: ['task.todo'] },
    { dialect: 'claude', tool: 'run', operations: [] },
    { dialect: 'claude', tool: 'constructor', operations: [] },
    { dialect: 'claude', tool: null, operations: [] },
    { dialect: 'codex', tool: 'apply_patch', operations: ['file.write', 'file.edit'] },
    { dialect: 'codex', tool: 'exec_command', operations: ['shell'] },
    { dialect: 'b10x', tool: 'run', operations: ['shell'] },
    { dialect: 'b10x', tool: 'find', operations: ['find'] },
    { dialect: 'b10x', tool: 'tool_search', operations: [] },
    { dialect: 'claude', tool: 'mcp__tickets__list', operations: ['mcp.call'] },
    { dialect: 'codex', tool: 'mcp__a__b__c', operations: ['mcp.call'] },
    { dialect: 'claude', tool: 'mcp__b10x__tool_invoke', operations: [] },
    { dialect: 'claude', tool: 'mcp__tickets', operations: [] },
    { dialect: 'claude', tool: 'mcp____', operations: [] },
    { dialect: 'copilot', tool: 'view', operations: ['file.read'] },
    { dialect: 'cursor', tool: 'shellToolCall', operations: ['shell'] },
    { dialect: 'amp', tool: 'oracle', operations: ['subagent.spawn'] },
    { dialect: 'pi', tool: 'grep', operations: ['search'] },
    { dialect: 'goose', tool: 'tree', operations: ['dir.list'] },
    { dialect: 'droid', tool: 'Execute', operations: ['shell'] },
    { dialect: 'kimi', tool: 'TodoList', operations: ['task.todo'] },
    { dialect: 'cline', tool: 'apply_patch', operations: ['file.write', 'file.edit'] },
  ] as const)('$dialect $tool', ({ dialect, tool, operations }) => {
    expect(operationsOf(dialect, tool)).toEqual(operations)
  })

  test('are shared, not made anew', () => {
    expect(operationsOf('claude', 'Read')).toBe(operationsOf('claude', 'Read'))
    expect(Object.isFrozen(operationsOf('claude', 'Read'))).toBe(true)
  })
})
