import type { Call, Surroundings } from './call.ts'
import { type CallArguments, entriesOf, keysOf } from './call-arguments.ts'
import { NAMES, OFFSET_FROM_ZERO, spawnsInBackground } from './argument-names.ts'
import { linesOf } from './line-range.ts'
import { patchedFiles } from './patch.ts'
import { resolvePath } from './path.ts'
import { shellSteps } from './shell-call.ts'
import { fileStep, type Step, WHOLE } from './step.ts'

/** Entries of one batch; a longer one is not taken apart. */
const MOST_ENTRIES = 1000

/**
 * The events that a call comes to, one for each file of a patch and for each entry of a batch. Null when the call is
 * not understood: an unknown tool, one published over MCP, or arguments without what the event requires.
 */
export function stepsOf(call: Call, around: Surroundings): readonly Step[] | null {
  for (const operation of call.operations) {
    const read = READ_BY_OPERATION.get(operation)
    if (read === undefined) continue
    const steps = read(call, around)
    return steps === null || steps.length === 0 || steps.length > MOST_ENTRIES ? null : steps
  }
  return null
}

type Reader = (call: Call, around: Surroundings) => readonly Step[] | null

const READ_BY_OPERATION: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ['file.read', (call, around) => files('read', call, around)],
  ['file.write', writes],
  ['file.edit', writes],
  ['dir.list', (call, around) => searches(call, around) ?? lists(call, around)],
  ['search', searches],
  ['find', (call, around) => searches(call, around) ?? lists(call, around)],
  ['shell', ({ input }, around) => shellSteps(input, around)],
  ['skill.load', skill],
  ['subagent.spawn', subagent],
])

/** One event for the file that is named, else one for each of a list; else the files that the call is said to be about. */
function files(type: 'read' | 'write', { input, subjects }: Call, around: Surroundings): Step[] | null {
  const fromZero = OFFSET_FROM_ZERO.has(around.harness ?? '')
  const whole = (path: string): Step => fileStep(type, resolvePath(path, around.workingDirectory), WHOLE)
  const one = (named: CallArguments): Step | null => {
    const path = named.text(NAMES.path)
    if (path === null || type === 'write') return path === null ? null : whole(path)
    return fileStep(type, resolvePath(path, around.workingDirectory), linesOf(named, fromZero))
  }
  const alone = one(input)
  if (alone !== null) return [alone]
  const list = input.plain(NAMES.files)
  const entries = entriesOf(list) ?? keysOf(list)
  if (entries.length > 0)
    return all(entries, (entry) => (typeof entry === 'string' ? whole(entry) : one(entry)))
  return all(filesAmong(subjects()), whole)
}

/** A tool that writes names its file, its files, or brings a patch that does. */
function writes(call: Call, around: Surroundings): Step[] | null {
  const { input } = call
  const action = input.text(NAMES.action)
  if (action === 'view' || action === 'read') return files('read', call, around)
  const named = files('write', call, around)
  if (named !== null) return named
  const patch = input.raw?.text() ?? input.text(NAMES.patch)
  const paths = patch === null ? input.objects() : patchedFiles(patch)
  return all(paths, (path) => fileStep('write', resolvePath(path, around.workingDirectory), WHOLE))
}

const FILE_SUBJECT = 'file:'

function filesAmong(subjects: readonly string[]): string[] {
  return subjects.flatMap((subject) =>
    subject.length > FILE_SUBJECT.length && subject.startsWith(FILE_SUBJECT)
      ? [subject.slice(FILE_SUBJECT.length)]
      : [],
  )
}

function searches({ input }: Call, around: Surroundings): Step[] | null {
  const scope = input.text(NAMES.scope)
  const path = scope === null ? null : resolvePath(scope, around.workingDirectory)
  const one = (query: string): Step => ({ type: 'search', query, path, exits1WhenEmpty: false })
  const query = input.text(NAMES.query)
  if (query !== null) return [one(query)]
  return all(entriesOf(input.plain(NAMES.queries)) ?? [], (entry) => {
    const text = typeof entry === 'string' ? entry : entry.text(NAMES.query)
    return text === null || text === '' ? null : one(text)
  })
}

function lists({ input }: Call, around: Surroundings): Step[] {
  const folder = input.text(NAMES.folder)
  return [{ type: 'list', path: folder === null ? null : resolvePath(folder, around.workingDirectory) }]
}

function skill({ input }: Call, around: Surroundings): Step[] | null {
  // A skill may be called like a command, with what it is to do behind its name.
  const name = input.text(NAMES.skillName)?.trim().replace(/^\//, '').split(/\s/)[0]
  const folder = input.text(NAMES.skillFolder)
  const path =
    input.text(NAMES.skillPath) ??
    (folder === null ? null : `${folder}/SKILL.md`) ??
    (name === undefined || name === '' ? null : `skills/${name}/SKILL.md`)
  if (path === null) return null
  return [
    {
      type: 'skill',
      path: resolvePath(path, around.workingDirectory),
      skillName: name === '' ? null : (name ?? null),
    },
  ]
}

function subagent({ id, tool, input }: Call, around: Surroundings): Step[] | null {
  // Without an id of its own a subagent goes by the call that made it.
  const own = input.text(NAMES.subagentId) ?? (id === '' ? null : id)
  const name = input.text(NAMES.subagentName)
  if (own === null && name === null) return null
  const background = input.isTrue(NAMES.background) || spawnsInBackground(around.harness, tool)
  return [{ type: 'subagent', id: own, name, background }]
}

/** What `make` makes of every entry; null when there is none, or one that it makes nothing of. */
function all<Entry>(entries: readonly Entry[], make: (entry: Entry) => Step | null): Step[] | null {
  if (entries.length === 0 || entries.length > MOST_ENTRIES) return null
  const steps: Step[] = []
  for (const entry of entries) {
    const step = make(entry)
    if (step === null) return null
    steps.push(step)
  }
  return steps
}
