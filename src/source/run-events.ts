import type { StreamEvent } from './event-cutter.ts'

/** Events whose looks are remembered, to tell what is sent again from another event with its id. */
const MOST_PRINTS = 4096
/** How often the same gap is asked for again before it is taken for one of the run. */
const GAP_TRIES = 2

const TERMINAL = new Set(['run.completed', 'run.failed', 'run.cancelled'])
/** The run waits until somebody answers (spec go-agent-harness §1.6), and what an answer brings. */
const QUESTIONS = new Set(['run.waiting_for_user', 'tool.approval_required', 'plan.approval_required'])
const ANSWERS = new Set([
  'run.resumed',
  'tool.approval_granted',
  'tool.approval_denied',
  'plan.approval_granted',
  'plan.approval_denied',
])

/** `take`: it is new. `drop`: it was there before, or is not wanted. `gap`: events before it are missing. */
export type Judgement = 'take' | 'drop' | 'gap'

/**
 * What was seen of the runs in an event stream (spec go-agent-harness §1.4): ids of events are `<run>:<number>`, counted from
 * 0 without holes. Events of other streams have ids of any kind, or none: only what is sent again is dropped of them.
 */
export class RunEvents {
  /** Id to go on after; null for the beginning. */
  lastId: string | null = null
  /** The last event ended its run. */
  isOver = false
  /** A question is open. */
  isWaiting = false
  /** By run: the last number before which nothing is missing. */
  private readonly last = new Map<string, number>()
  private readonly prints = new Map<string, number>()
  private gap = ''
  private gapTries = 0
  private readonly since: () => number | null

  /** @param since time, in milliseconds, before which events are left out; null for none */
  constructor(since: () => number | null) {
    this.since = since
  }

  judge(event: StreamEvent): Judgement {
    if (event.data === null || event.data.length === 0) {
      this.lastId = event.id ?? this.lastId
      return 'drop'
    }
    const { id, type, timestamp } = readNames(event.data)
    const place = placeOf(id) ?? placeOf(event.id)
    // An id in the data of any other stream may be that of anything.
    const name = event.id ?? (place === null ? null : id)
    const print = printOf(event.data)
    if (name !== null && this.prints.get(name) === print) return 'drop'
    if (place !== null) {
      const judgement = this.follows(place, name ?? '')
      if (judgement !== 'take') return judgement
    }
    if (name !== null) this.note(name, print)
    this.isOver = type !== null && place !== null && TERMINAL.has(type)
    if (type !== null && QUESTIONS.has(type)) this.isWaiting = true
    else if (this.isOver || (type !== null && ANSWERS.has(type))) this.isWaiting = false
    return this.isOver || !this.isEarly(timestamp) ? 'take' : 'drop'
  }

  private follows({ run, seq }: Place, name: string): Judgement {
    const last = this.last.get(run) ?? -1
    // Not the event that had this number: a server that lost its memory counts anew.
    if (seq <= last && !this.prints.has(name)) return 'drop'
    if (seq > last + 1) {
      const gap = `${run}:${last}`
      this.gapTries = gap === this.gap ? this.gapTries + 1 : 1
      this.gap = gap
      if (this.gapTries <= GAP_TRIES) return 'gap'
    }
    this.last.set(run, seq)
    return 'take'
  }

  private isEarly(timestamp: string | null): boolean {
    const since = this.since()
    return since !== null && timestamp !== null && Date.parse(timestamp) < since
  }

  private note(name: string, print: number): void {
    this.lastId = name
    this.prints.delete(name)
    this.prints.set(name, print)
    if (this.prints.size <= MOST_PRINTS) return
    for (const oldest of this.prints.keys()) {
      this.prints.delete(oldest)
      break
    }
  }
}

interface Place {
  readonly run: string
  readonly seq: number
}

function placeOf(id: string | null): Place | null {
  const parts = id === null ? null : /^(.+):(\d{1,15})$/.exec(id)
  const [, run, seq] = parts ?? []
  return run === undefined || seq === undefined ? null : { run, seq: Number(seq) }
}

interface Names {
  readonly id: string | null
  readonly type: string | null
  readonly timestamp: string | null
}

const NAMELESS: Names = { id: null, type: null, timestamp: null }

/** What an event says of itself; its type there counts more than the one in the framing. */
function readNames(data: Buffer): Names {
  let value: unknown
  try {
    value = JSON.parse(data.toString())
  } catch {
    return NAMELESS
  }
  if (typeof value !== 'object' || value === null) return NAMELESS
  const id = 'id' in value && typeof value.id === 'string' ? value.id : null
  const type = 'type' in value && typeof value.type === 'string' ? value.type : null
  const timestamp = 'timestamp' in value && typeof value.timestamp === 'string' ? value.timestamp : null
  return { id, type, timestamp }
}

/** A number by which events are told apart. */
function printOf(data: Buffer): number {
  let print = data.length
  for (const byte of data) print = (Math.imul(print, 31) + byte) | 0
  return print
}
