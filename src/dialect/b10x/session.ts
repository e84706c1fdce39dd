import { Bin, type Sink } from '../../event/sink.ts'
import { NONE } from '../../kernel/record.ts'
import { count } from '../figures.ts'
import { children, textAt, textsAt } from '../values.ts'
import { decimalOf, figuresOf } from './figures.ts'
import { beginRun, KEPT_BYTES, type State, type Step } from './state.ts'
import { sessionEnd, sessionStart } from '../session-events.ts'
import { compactText } from '../compact-text.ts'
import { K } from './words.ts'

/** A record that begins in the middle of a run still opens with a session, of which nothing is known. */
export function openSession(state: State, sink: Sink): void {
  if (state.sessions > 0) return
  state.sessions = 1
  sink.sessionStarted(sessionStart('b10x', { adapterClass: 'direct_provider' }))
}

/** `started`. A list that is missing was not written by an older build: that is not the same as none (spec §2.1). */
export function started({ record, node, state, sink }: Step): Bin {
  if (state.sessions > 0) sink.notice('second-session', record.line, 'the record holds more than one run')
  state.sessions++
  beginRun(state)
  const withheld = record.get(node, K.withheld)
  const mcp = record.get(node, K.mcp)
  sink.sessionStarted(
    sessionStart('b10x', {
      adapterClass: 'direct_provider',
      model: textAt(record, record.get(node, K.model)),
      credentialSource: textAt(record, record.get(node, K.credential_source)),
      offeredTools: textsAt(record, record.get(node, K.published_tools)),
      availableOperations: textsAt(record, record.get(node, K.operations)),
      withheld: record.isArray(withheld)
        ? children(record, withheld, (child) => {
            const tool = textAt(record, record.get(child, K.tool))
            const reason = textAt(record, record.get(child, K.reason))
            return tool === null || reason === null ? null : { tool, reason }
          })
        : null,
      skills: textsAt(record, record.get(node, K.skills)),
      agents: textsAt(record, record.get(node, K.agents)),
      mcpServers: record.isArray(mcp)
        ? children(record, mcp, (child) => ({
            name: textAt(record, record.get(child, K.connection)),
            status: null,
          }))
        : null,
    }),
  )
  return Bin.Translated
}

/** `finished`: the totals of this run, its delegates included. */
export function finished({ record, node, state, sink }: Step): Bin {
  const stop = record.get(node, K.stop)
  const kind = record.word(record.get(stop, K.kind))
  const turns = record.get(node, K.turns)
  const answer = kind === 'completed' ? state.answer : null
  const { total, byModel, microUsd } = state.spend
  sink.sessionEnded(
    sessionEnd({
      foldedLines: answer === null ? [] : [answer.line],
      finalAnswer: answer === null ? null : { text: answer.text, turnId: null },
      isError: kind === null ? null : kind !== 'completed',
      subtype: kind,
      terminalReason: kind,
      numTurns: count(record, turns === NONE ? record.get(stop, K.turns) : turns, sink),
      totalCostUsd: decimalOf(microUsd),
      permissionDenials: state.denials,
      subagentsSpawned: state.subagents,
      usage: total === null ? null : figuresOf(total, null),
      modelUsage:
        total === null
          ? null
          : Array.from(byModel, ([model, sum]) => ({
              model,
              usage: figuresOf(sum, decimalOf(sum.microUsd)),
            })),
    }),
  )
  state.stop = { kind }
  return Bin.Translated
}

/** `refused`: the run never started. */
export function refused({ record, node, state, sink }: Step): Bin {
  sink.sessionEnded(
    sessionEnd({
      isError: true,
      subtype: 'refused',
      stopReason: textAt(record, record.get(node, K.reason)),
      terminalReason: 'refused',
      numTurns: 0,
      permissionDenials: [],
      subagentsSpawned: 0,
    }),
  )
  state.stop = { kind: 'refused' }
  return Bin.Translated
}

/** `answered`: kept until the run completes; a stop hook may still send the model back to work. */
export function answered({ record, node, state, sink }: Step): Bin {
  const value = record.get(node, K.value)
  if (value === NONE) return Bin.Opaque
  if (record.rawBytes(value) > KEPT_BYTES) {
    sink.notice('answer-too-long', record.line, 'the answer is too long to be held and was left out')
    state.answer = null
  } else {
    state.answer = { text: compactText(record.raw(value)), line: record.line }
  }
  return Bin.Folded
}
