import type { CorpusRows } from './corpus-rows.ts'
import type { OwnedEntry } from './entry.ts'
import { Flag, FLAGS, OWNER, TRANSCRIPT, VALUES } from './entry-row.ts'
import { hasMessage, IDENTITY_WORDS, isWithoutRequest } from './identity.ts'
import { IdentityMap } from './identity-map.ts'
import { KeyIndex } from './key-index.ts'

/** A row names a claim when it is the first one with its key. */
export function isClaim(flags: number): boolean {
  return (flags & (Flag.Claim | Flag.Joined)) === Flag.Claim
}

/**
 * All that is known of each key: who owns it, and who has the numbers. A claim is written into the first row that has the key
 * and named by it.
 */
export class Claims {
  private readonly rows: CorpusRows
  private readonly index: KeyIndex
  /** All rows of a claim, when it is to be explained. */
  private readonly copies: Map<number, number[]> | null
  /** Some claim may be one of a side chain. */
  hasSidechains = false
  private hasNameless = false

  /** @param keyed rows with a key there will be at most */
  constructor(rows: CorpusRows, keyed: number, explained: boolean) {
    this.rows = rows
    this.index = new KeyIndex(rows, keyed)
    this.copies = explained ? new Map() : null
  }

  /** Count a row that has a key; `words[at]` is where it begins. */
  add(row: number, words: Uint32Array, at: number): void {
    const claim = this.index.findOrPut(words, at, row)
    const flags = words[at + FLAGS]!
    if (claim === row) {
      words[at + OWNER] = row
      words[at + VALUES] = row
      const final = (flags & Flag.Final) === 0 ? 0 : Flag.ClaimFinal
      const sidechain = (flags & Flag.Sidechain) === 0 ? 0 : Flag.ClaimSidechain
      words[at + FLAGS] = flags | Flag.Claim | final | sidechain
      this.copies?.set(row, [row])
      this.hasSidechains ||= sidechain !== 0
      this.hasNameless ||= isWithoutRequest(words, at)
      return
    }
    this.join(claim, row, row, (flags & Flag.Final) !== 0, (flags & Flag.Sidechain) !== 0)
    this.copies?.get(claim)?.push(row)
  }

  owner(claim: number): number {
    return this.rows.word(claim, OWNER)
  }

  values(claim: number): number {
    return this.rows.word(claim, VALUES)
  }

  isSidechain(claim: number): boolean {
    return (this.rows.flags(claim) & Flag.ClaimSidechain) !== 0
  }

  /** All rows of a claim; none unless it is to be explained. */
  copiesOf(claim: number): readonly number[] {
    return this.copies?.get(claim) ?? []
  }

  /** Copies keep their numbers but may rewrite session and time, so those are the owner's. */
  resolved(claim: number): OwnedEntry {
    const owner = this.owner(claim)
    const values = this.values(claim)
    const flags = this.rows.flags(claim)
    const final = (flags & Flag.ClaimFinal) !== 0
    const sidechain = (flags & Flag.ClaimSidechain) !== 0
    const owned = this.rows.owned(owner)
    const own = owned.entry
    if (owner === values && own.final === final && own.sidechain === sidechain) return owned
    const { instant, session, firstInstant } = own
    const origin = own.origin === undefined ? {} : { origin: own.origin }
    const counted = owner === values ? own : this.rows.entry(values)
    const entry = { ...counted, instant, session, firstInstant, final, sidechain, ...origin }
    const { transcript } = owned
    if (this.copies === null || owner === values) return { entry, transcript }
    return { entry, transcript, numbersOf: this.rows.owned(values) }
  }

  /**
   * A message whose request id one form leaves out is that request where another form names it: the first of them that is of the
   * main conversation, by its identity.
   *
   * @param claims walks over all claims, whenever it is called
   */
  joinNameless(claims: () => Iterable<number>): void {
    if (!this.hasNameless) return
    const nameless = new IdentityMap(2)
    for (const claim of claims()) {
      const { words, at } = this.rows.find(claim)
      if (isWithoutRequest(words, at)) nameless.add(words, at, claim)
    }
    const named = new Map<number, number>()
    for (const claim of claims()) {
      const { words, at } = this.rows.find(claim)
      if (!hasMessage(words, at) || isWithoutRequest(words, at)) continue
      const without = nameless.get(words, at)
      if (without === null) continue
      const other = named.get(without)
      if (other === undefined || this.precedes(claim, other)) named.set(without, claim)
    }
    for (const [without, claim] of named) this.absorb(claim, without)
  }

  private absorb(claim: number, without: number): void {
    const final = (this.rows.flags(without) & Flag.ClaimFinal) !== 0
    this.join(claim, this.owner(without), this.values(without), final, this.isSidechain(without))
    this.rows.mark(without, Flag.Joined)
    this.copies?.get(claim)?.push(...this.copiesOf(without))
  }

  private join(claim: number, owner: number, values: number, final: boolean, sidechain: boolean): void {
    const { words, at } = this.rows.find(claim)
    if (this.compareOwners(owner, words[at + OWNER]!) < 0) words[at + OWNER] = owner
    if (this.compareValues(values, words[at + VALUES]!) < 0) words[at + VALUES] = values
    if (final) words[at + FLAGS]! |= Flag.ClaimFinal
    if (!sidechain) words[at + FLAGS]! &= ~Flag.ClaimSidechain
  }

  private compareOwners(a: number, b: number): number {
    const { rows } = this
    return (
      rows.firstInstant(a) - rows.firstInstant(b) ||
      Number((rows.flags(a) & Flag.Sidechain) !== 0) - Number((rows.flags(b) & Flag.Sidechain) !== 0) ||
      rows.word(a, TRANSCRIPT) - rows.word(b, TRANSCRIPT)
    )
  }

  private compareValues(a: number, b: number): number {
    const { rows } = this
    return (
      rows.output(b) - rows.output(a) ||
      Number((rows.flags(b) & Flag.Final) !== 0) - Number((rows.flags(a) & Flag.Final) !== 0) ||
      this.compareOwners(a, b)
    )
  }

  private precedes(claim: number, other: number): boolean {
    const side = Number(this.isSidechain(claim)) - Number(this.isSidechain(other))
    if (side !== 0) return side < 0
    const [a, b] = [this.rows.find(claim), this.rows.find(other)]
    for (let i = 0; i < IDENTITY_WORDS; i++) {
      const difference = a.words[a.at + i]! - b.words[b.at + i]!
      if (difference !== 0) return difference < 0
    }
    return false
  }
}
