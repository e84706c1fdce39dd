import { createHash } from 'node:crypto'
import type { Node, RecordView } from '../../kernel/record.ts'

/**
 * Codex writes what is said twice: as an item of the conversation and as an event for its own display. Which comes first
 * differs between builds, and either may be missing. The first is written, the other is its twin.
 *
 * By voice and text: how many of one kind still wait for the other kind; items count up, events down.
 */
export type Twins = Map<string, number>
export type Side = 'item' | 'event'
export type Voice = 'user' | 'text' | 'thinking'

/** Texts remembered: twins stand close together. */
const MOST_WAITING = 256

export function noTwins(): Twins {
  return new Map()
}

/** The text, or the texts together, as they are spelled: both were written by one serializer. */
export function fingerprint(record: RecordView, voice: Voice, texts: readonly Node[]): string {
  const hash = createHash('sha256')
  for (const text of texts)
    hash.update(record.bytes.subarray(record.words[text]! + 1, record.words[text + 1]! - 1))
  return `${voice} ${hash.digest('base64')}`
}

/** True when the other kind has told this text before and waited for it; else it is remembered as waiting. */
export function isTwin(twins: Twins, key: string, side: Side): boolean {
  if (takeTwin(twins, key, side)) return true
  const waiting = twins.get(key) ?? 0
  // Set anew, so that the oldest are the first.
  twins.delete(key)
  twins.set(key, waiting + (side === 'item' ? 1 : -1))
  if (twins.size > MOST_WAITING) twins.delete(twins.keys().next().value ?? key)
  return false
}

/** True when the other kind has told this text before and waited for it; nothing is remembered. */
export function takeTwin(twins: Twins, key: string, side: Side): boolean {
  const waiting = twins.get(key) ?? 0
  if (side === 'item' ? waiting >= 0 : waiting <= 0) return false
  const left = waiting + (side === 'item' ? 1 : -1)
  if (left === 0) twins.delete(key)
  else twins.set(key, left)
  return true
}
