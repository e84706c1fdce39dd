import type { JsonBytes } from '../../kernel/record.ts'

/** Lines of a file, both ends included, from 1; null is unknown. */
export interface Lines {
  readonly startLine: number | null
  readonly endLine: number | null
}

/** No lines are named: all of the file. */
export const WHOLE: Lines = { startLine: null, endLine: null }

/**
 * One event that a call comes to, but for its outcome. Plain data: it is kept until the result arrives, long after
 * the record of the call has gone.
 */
export type Step =
  | {
      readonly type: 'command'
      readonly command: string | JsonBytes
      readonly workingDirectory: string | null
    }
  | ({ readonly type: 'read' | 'write'; readonly path: string } & Lines)
  | {
      readonly type: 'search'
      readonly query: string
      readonly path: string | null
      /** The program exits with 1 when it found nothing, which is no failure. */
      readonly exits1WhenEmpty: boolean
    }
  | { readonly type: 'list'; readonly path: string | null }
  | { readonly type: 'skill'; readonly path: string; readonly skillName: string | null }
  | {
      readonly type: 'subagent'
      readonly id: string | null
      readonly name: string | null
      /** The call returns when the subagent has begun, not when it is done. */
      readonly background: boolean
    }

/** A file that is read or written. In one literal: the engine takes the slow way for a spread. */
export function fileStep(type: 'read' | 'write', path: string, { startLine, endLine }: Lines): Step {
  return { type, path, startLine, endLine }
}

/** Bytes that a step occupies while it is kept, roughly. */
export function weightOf(step: Step): number {
  switch (step.type) {
    case 'command':
      return 64 + lengthOf(step.command) + lengthOf(step.workingDirectory)
    case 'read':
    case 'write':
      return 64 + lengthOf(step.path)
    case 'search':
      return 64 + lengthOf(step.query) + lengthOf(step.path)
    case 'list':
      return 64 + lengthOf(step.path)
    case 'skill':
      return 64 + lengthOf(step.path) + lengthOf(step.skillName)
    case 'subagent':
      return 64 + lengthOf(step.id) + lengthOf(step.name)
  }
}

function lengthOf(text: string | JsonBytes | null): number {
  if (text === null) return 0
  return typeof text === 'string' ? 2 * text.length : text.bytes.length
}
