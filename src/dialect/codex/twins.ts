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

/** Longest text, in bytes, that is its own fingerprint: most are a few sentences, and hashing costs more than keeping them. */
const LONGEST_PLAIN = 512

/** The text, or the texts together, as they are spelled: both were written by one serializer. */
export function fingerprint({ bytes, words }: RecordView, voice: Voice, texts: readonly Node[]): string {
  let length = 0
  for (const text of texts) length += words[text + 1]! - words[text]! - 2
  if (length <= LONGEST_PLAIN) {
    let plain: string = voice
    for (const text of texts) plain += bytes.latin1Slice(words[text]! + 1, words[text + 1]! - 1)
    return plain
  }
  const hash = createHash('sha256')
  for (const text of texts) hash.update(bytes.subarray(words[text]! + 1, words[text + 1]! - 1))
  return `${voice}#${length}#${hash.digest('base64')}`
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
