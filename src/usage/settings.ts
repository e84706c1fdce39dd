import type { Billed, Place } from '../event/billing.ts'
import type { LedgerEntry } from './entry.ts'

/** Settings that are looked through for one that fits; a transcript rarely has more. */
const SEARCHED = 8

/** What many entries of a transcript share. */
export interface Setting {
  readonly process: string | null
  readonly session: string | null
  readonly model: string | null
  readonly serviceTier: string | null
  readonly speed: string | null
  readonly geo: string | null
  readonly scope: LedgerEntry['scope']
  readonly requests: number
  readonly thread: string | null
  readonly parent: string | null
  readonly kind: Place['kind'] | null
}

/** The settings of the entries of a ledger, by their numbers: a request whose setting is there gets no new one. */
export class Settings {
  readonly all: Setting[] = []
  /** Those that were looked up by name, once there are many. */
  private known: Map<string, number> | null = null

  /** The number of a request's setting. */
  of(billed: Billed): number {
    const { all } = this
    const last = all.length - 1
    for (let i = last; i >= 0 && i > last - SEARCHED; i--) {
      if (isIn(all[i]!, billed) && all[i]!.scope === 'request') return i
    }
    return this.amongMany(billed)
  }

  /** Add one without looking for it. Returns its number. */
  add(setting: Setting): number {
    return this.all.push(setting) - 1
  }

  private amongMany(billed: Billed): number {
    const { process, session, model, serviceTier, speed, geo, place } = billed
    const { thread = null, parent = null, kind = null } = place ?? {}
    if (this.all.length >= SEARCHED) {
      const fields = [process, session, model, serviceTier, speed, geo, thread, parent, kind]
      const name = JSON.stringify(fields)
      this.known ??= new Map()
      const known = this.known.get(name)
      if (known !== undefined) return known
      this.known.set(name, this.all.length)
    }
    // One literal: an object of this size that is spread together becomes a slow one.
    return this.add({
      process,
      session,
      model,
      serviceTier,
      speed,
      geo,
      scope: 'request',
      requests: 1,
      thread,
      parent,
      kind,
    })
  }
}

/** What entries of one transcript share, of what was billed. */
function isIn(setting: Setting, billed: Billed): boolean {
  const { place } = billed
  return (
    setting.model === billed.model &&
    setting.session === billed.session &&
    setting.process === billed.process &&
    setting.serviceTier === billed.serviceTier &&
    setting.speed === billed.speed &&
    setting.geo === billed.geo &&
    setting.thread === (place?.thread ?? null) &&
    setting.parent === (place?.parent ?? null) &&
    setting.kind === (place?.kind ?? null)
  )
}
