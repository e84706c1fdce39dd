import type { CallCost } from './cases/vocabulary.ts'
import type { Machine } from './machine.ts'
import type { Row } from './sampled.ts'

const HEADINGS = ['what', 'MB/s', 'ms', 'ratio', 'to', 'peak RSS'] as const

/** The measured rows, aligned. A second baseline of the same case repeats nothing. */
export function formatTable(rows: readonly Row[]): string {
  const cells = rows.map((row, i) => {
    const isFirst = rows[i - 1]?.case !== row.case
    return [
      isFirst ? `${row.title}${rate(row)}` : '',
      isFirst && row.megabytesPerSecond !== null ? rounded(row.megabytesPerSecond) : '',
      isFirst ? rounded(row.milliseconds) : '',
      `${formatRatio(row.ratio)} x`,
      row.baseline,
      isFirst && row.peakRssBytes !== null ? `${Math.round(row.peakRssBytes / 1e6)} MB` : '',
    ]
  })
  return alignedLines([[...HEADINGS], ...cells], [1, 2, 3, 5])
}

/** The calls of the record view. */
export function formatCalls(calls: readonly CallCost[]): string {
  const cells = calls.map(({ name, nanoseconds }) => [name, nanoseconds.toFixed(1)])
  return alignedLines([['record view', 'ns a record'], ...cells], [1])
}

export function formatMachine(machine: Machine, inMemory: boolean): string {
  const { cpu, cores, memoryBytes, platform, node, commit, loadBefore } = machine
  const place = inMemory
    ? 'corpora and outputs in memory (/dev/shm)'
    : 'corpora and outputs on disk: times of whole processes include it'
  const facts = [
    cpu,
    `${cores} cores`,
    `${Math.round(memoryBytes / 2 ** 30)} GiB`,
    platform,
    `Node ${node.slice(1)}`,
  ]
  return `${facts.join(', ')}, commit ${commit ?? 'unknown'}, load ${loadBefore.toFixed(1)}; ${place}`
}

/** Small ratios with a digit more. */
export function formatRatio(ratio: number): string {
  return ratio.toFixed(ratio < 0.1 ? 3 : 2)
}

function rate({ itemsPerSecond }: Row): string {
  return itemsPerSecond === null ? '' : ` (${rounded(itemsPerSecond.count)} ${itemsPerSecond.unit}/s)`
}

function rounded(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en-US') : value.toFixed(1)
}

/** Cells padded to columns; those named in `right` end together. */
export function alignedLines(lines: readonly (readonly string[])[], right: readonly number[]): string {
  const widths =
    lines[0]?.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0))) ?? []
  return lines
    .map((line) =>
      line
        .map((cell, i) => (right.includes(i) ? cell.padStart(widths[i] ?? 0) : cell.padEnd(widths[i] ?? 0)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
