import { alignedLines, formatRatio } from '../table.ts'
import type { PeersDocument } from './document.ts'
import type { Unit, Verdict } from './goals.ts'
import type { Field } from './group.ts'
import { best, type Timing } from './program.ts'

/** Goals, then who took how long for what, then what disagrees. */
export function formatPeers(document: PeersDocument): string {
  const { goals, fields, rounds, versions, machine, loadAfter } = document
  const listed = Object.entries(versions).map(([name, version]) => `${name} ${version}`)
  return [
    formatGoals(goals),
    ...fields.map(formatField),
    `best of ${rounds} runs in turn, slow baselines once; load ${machine.loadBefore.toFixed(1)} before and ` +
      `${loadAfter.toFixed(1)} after; against ${listed.join(', ')}`,
    ...(fields.length === 0 ? [] : [formatAgreement(fields)]),
  ].join('\n\n')
}

function formatAgreement(fields: readonly Field[]): string {
  const wrong = disagreements(fields)
  return wrong.length === 0 ? 'all answers agree' : `answers DISAGREE:\n${wrong.join('\n')}`
}

/** A line a goal. */
export function formatGoals(goals: readonly Verdict[]): string {
  const lines = goals.map(({ work, sense, limit, unit, measured, met, note }) => [
    work,
    `${sense === 'at least' ? '≥' : '≤'} ${amount(limit, unit)}`,
    measured === null ? '' : amount(measured, unit),
    met === null ? 'not measured' : met ? 'met' : 'MISSED',
    note,
  ])
  return alignedLines([['work', 'goal', 'reached', '', ''], ...lines], [1, 2])
}

/** A line a program, ours first, and the others' times as multiples of ours. */
function formatField({ title, bytes, ours, timings }: Field): string {
  const own = timings.find(({ name }) => name === ours)
  const lines = timings.map((timing) => {
    const seconds = best(timing)
    const ratio = own === undefined || own === timing ? '' : `${formatRatio(seconds / best(own))} x`
    const peak = timing.peakRssBytes === null ? '' : `${Math.round(timing.peakRssBytes / 1e6)} MB`
    const speed = Math.round(bytes / 1e6 / seconds).toString()
    return [timing.name, seconds.toFixed(2), speed, ratio, processorSeconds(timing), peak]
  })
  const heading = [
    `${title}, ${(bytes / 1e6).toFixed(0)} MB`,
    's',
    'MB/s',
    'time to ours',
    'CPU s',
    'peak RSS',
  ]
  return alignedLines([heading, ...lines], [1, 2, 3, 4, 5])
}

function processorSeconds({ processorSeconds: all }: Timing): string {
  return all.length === 0 ? '' : Math.min(...all).toFixed(2)
}

/** What is wrong with whose answer. */
export function disagreements(fields: readonly Field[]): string[] {
  return fields.flatMap(({ title, timings }) =>
    timings.flatMap(({ name, faults }) => faults.map((fault) => `${title}: ${name}: ${fault}`)),
  )
}

function amount(value: number, unit: Unit): string {
  const number = unit === 'x' ? formatRatio(value) : Math.round(value).toLocaleString('en-US')
  return `${number} ${unit}`
}
