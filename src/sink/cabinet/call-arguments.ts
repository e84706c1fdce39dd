import type { Json } from '../../event/value.ts'
import type { Key } from '../../kernel/key.ts'
import { type JsonBytes, NONE, type Node, type RecordView } from '../../kernel/record.ts'

/** Bytes of an input that is not in the record as a value: longer ones are not looked into. */
const LONGEST_PARSED = 8 * 1024 * 1024
/** Bytes of one argument that is looked at. */
const LONGEST_TEXT = 1024 * 1024

/** A text that is kept, and the same text decoded; null when it is too long to be looked at. */
export interface KeptText {
  readonly kept: string | JsonBytes
  readonly text: string | null
}

/** The arguments of a call, wherever they are; good while its record is current. */
export interface CallArguments {
  /** The first of these that holds a string with anything in it. */
  text(names: readonly Key[]): string | null
  /** As `text`, to be kept as it is spelled. */
  keptText(names: readonly Key[]): KeptText | null
  /** The first of these that holds a whole number, also as a string. */
  whole(names: readonly Key[]): number | null
  isTrue(names: readonly Key[]): boolean
  /** The first of these that is an array or object, as plain values; null when it is too long. */
  plain(names: readonly Key[]): unknown
  /** The object under one of these. */
  inner(names: readonly Key[]): CallArguments | null
  /** The names of the fields that hold objects: some harnesses file what is to be done under the path of its file. */
  objects(): string[]
  /** All of the input when it is text and no object. */
  readonly raw: KeptText | null
}

/** What can be asked of an input. A list without a name is one of files. */
export function argumentsOf(record: RecordView, input: Json): CallArguments {
  if (input === null) return new PlainArguments({}, null)
  if (typeof input !== 'number') {
    const value = parsed(input)
    return typeof value === 'string' ? ofText(input, value) : ofValue(value)
  }
  if (record.isArray(input)) return ofValue(plainAt(record, input))
  if (!record.isString(input)) return new RecordArguments(record, input)
  return ofText(record.keep(input), record.rawBytes(input) > LONGEST_PARSED ? null : record.text(input))
}

function ofValue(value: unknown): CallArguments {
  return new PlainArguments(Array.isArray(value) ? { files: value } : isRecord(value) ? value : {}, null)
}

/** Some harnesses write the arguments as JSON in a string; other text is an argument by itself. */
function ofText(kept: JsonBytes, text: string | null): CallArguments {
  const value = text?.startsWith('{') === true ? parse(text) : null
  return isRecord(value)
    ? new PlainArguments(value, null)
    : new PlainArguments({}, text === '' ? null : { kept, text })
}

class RecordArguments implements CallArguments {
  readonly raw = null
  private readonly record: RecordView
  private readonly node: Node

  constructor(record: RecordView, node: Node) {
    this.record = record
    this.node = node
  }

  text(names: readonly Key[]): string | null {
    const node = this.string(names)
    return node === NONE || this.record.rawBytes(node) > LONGEST_TEXT ? null : this.record.text(node)
  }

  keptText(names: readonly Key[]): KeptText | null {
    const { record } = this
    const node = this.string(names)
    if (node === NONE) return null
    return { kept: record.keep(node), text: record.rawBytes(node) > LONGEST_TEXT ? null : record.text(node) }
  }

  whole(names: readonly Key[]): number | null {
    const { record, node } = this
    for (const name of names) {
      const value = record.get(node, name)
      const found = record.integer(value) ?? wholeIn(record.isString(value) ? record.head(value, 32) : null)
      if (found !== null) return found
    }
    return null
  }

  isTrue(names: readonly Key[]): boolean {
    return names.some((name) => this.record.bool(this.record.get(this.node, name)) === true)
  }

  plain(names: readonly Key[]): unknown {
    const { record, node } = this
    for (const name of names) {
      const value = record.get(node, name)
      if (!record.isArray(value) && !record.isObject(value)) continue
      return plainAt(record, value)
    }
    return null
  }

  inner(names: readonly Key[]): CallArguments | null {
    for (const name of names) {
      const value = this.record.get(this.node, name)
      if (this.record.isObject(value)) return new RecordArguments(this.record, value)
    }
    return null
  }

  objects(): string[] {
    const { record, node } = this
    const found: string[] = []
    for (
      let child = record.isObject(node) ? record.first(node) : NONE;
      child !== NONE;
      child = record.next(child)
    ) {
      if (record.isObject(child)) found.push(record.key(child))
    }
    return found
  }

  private string(names: readonly Key[]): Node {
    for (const name of names) {
      const value = this.record.get(this.node, name)
      if (this.record.isString(value) && this.record.rawBytes(value) > 2) return value
    }
    return NONE
  }
}

/** Arguments that are values already: of an input that was text, or of one entry of a list. */
class PlainArguments implements CallArguments {
  readonly raw: KeptText | null
  private readonly values: Readonly<Record<string, unknown>>

  constructor(values: Readonly<Record<string, unknown>>, raw: KeptText | null) {
    this.values = values
    this.raw = raw
  }

  text(names: readonly Key[]): string | null {
    for (const name of names) {
      const value = this.value(name)
      if (typeof value === 'string' && value !== '') return value
    }
    return null
  }

  keptText(names: readonly Key[]): KeptText | null {
    const text = this.text(names)
    return text === null ? null : { kept: text, text: text.length > LONGEST_TEXT ? null : text }
  }

  whole(names: readonly Key[]): number | null {
    for (const name of names) {
      const value = this.value(name)
      const found = typeof value === 'number' ? value : wholeIn(value)
      if (Number.isSafeInteger(found)) return found
    }
    return null
  }

  isTrue(names: readonly Key[]): boolean {
    return names.some((name) => this.value(name) === true)
  }

  plain(names: readonly Key[]): unknown {
    for (const name of names) {
      const value = this.value(name)
      if (typeof value === 'object' && value !== null) return value
    }
    return null
  }

  inner(names: readonly Key[]): CallArguments | null {
    const value = this.plain(names)
    return isRecord(value) ? new PlainArguments(value, null) : null
  }

  objects(): string[] {
    return keysOf(this.values).filter((name) => isRecord(this.values[name]))
  }

  private value({ name }: Key): unknown {
    return Object.hasOwn(this.values, name) ? this.values[name] : undefined
  }
}

/** The entries of a list of things to do: strings, or objects with arguments of their own. */
export function entriesOf(list: unknown): (string | CallArguments)[] | null {
  if (!Array.isArray(list)) return null
  const entries: (string | CallArguments)[] = []
  for (const item of list) {
    if (typeof item === 'string') entries.push(item)
    else if (isRecord(item)) entries.push(new PlainArguments(item, null))
    else return null
  }
  return entries
}

/** The keys of an object by which some harnesses name files. */
export function keysOf(value: unknown): string[] {
  return isRecord(value) ? Object.keys(value) : []
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function plainAt(record: RecordView, node: Node): unknown {
  return record.rawBytes(node) > LONGEST_TEXT ? null : JSON.parse(record.raw(node))
}

function wholeIn(value: unknown): number | null {
  return typeof value === 'string' && /^\d{1,10}$/.test(value) ? Number(value) : null
}

function parsed({ bytes }: JsonBytes): unknown {
  if (bytes.length > LONGEST_PARSED) return null
  return parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8'))
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
