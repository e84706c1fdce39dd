import { field, type LineWriter, typed } from './line-writer.ts'
import type { Outcome } from './outcome.ts'
import type { Step } from './step.ts'

const COMMAND = typed('command', 'command')
const READ = typed('read', 'path')
const WRITE = typed('write', 'path')
const SEARCH = typed('search', 'query')
const SKILL = typed('skill', 'path')
const PATH = field('path')
const SKILL_NAME = field('skillName')
const WORKING_DIRECTORY = field('workingDirectory')
const EXIT_CODE = field('exitCode')
const SUBAGENT_ID = field('subagentId')
const SUBAGENT_NAME = field('subagentName')

export type Subagent = Extract<Step, { type: 'subagent' }>
type Action = 'subagent_started' | 'subagent_completed' | 'subagent_failed'

/** Writes the events of calls behind heads that are written already, and ends their lines. */
export class StepWriter {
  private readonly lines: LineWriter

  constructor(lines: LineWriter) {
    this.lines = lines
  }

  write(step: Step, { success, exitCode }: Outcome): void {
    const { lines } = this
    switch (step.type) {
      case 'command':
        lines.text(COMMAND, step.command)
        lines.text(WORKING_DIRECTORY, step.workingDirectory)
        this.exitCode(exitCode)
        break
      case 'read':
      case 'write':
        lines.text(step.type === 'read' ? READ : WRITE, step.path)
        lines.lineRange(step.startLine, step.endLine)
        break
      case 'search':
        lines.text(SEARCH, step.query)
        lines.text(PATH, step.path)
        // The field says whether the search was completed, not whether it found anything.
        lines.success(step.exits1WhenEmpty && exitCode === 1 ? true : success)
        lines.end()
        return
      case 'list':
        lines.out.text(',"type":"list"')
        lines.text(PATH, step.path)
        break
      case 'skill':
        lines.text(SKILL, step.path)
        lines.text(SKILL_NAME, step.skillName)
        break
      case 'subagent':
        this.subagent(actionOf(step, success), step, success)
        return
    }
    lines.success(success)
    lines.end()
  }

  subagent(action: Action, { id, name }: Subagent, success: boolean | null): void {
    const { lines } = this
    lines.out.text(`,"type":"orchestration","action":"${action}"`)
    lines.text(SUBAGENT_ID, id)
    lines.text(SUBAGENT_NAME, name)
    lines.success(success)
    lines.end()
  }

  private exitCode(value: number | null): void {
    if (value === null) return
    this.lines.out.literal(EXIT_CODE)
    this.lines.out.text(String(value))
  }
}

/** A call that returns at once says that the subagent has begun; any other, that it is done. */
function actionOf({ background }: Subagent, success: boolean | null): Action {
  if (success === false) return 'subagent_failed'
  return background ? 'subagent_started' : 'subagent_completed'
}
