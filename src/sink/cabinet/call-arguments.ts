import type { Json } from '../../event/value.ts'
import { type JsonBytes, NONE, type Node, type RecordView } from '../../kernel/record.ts'
import type { ArgumentNames } from './argument-names.ts'
import { type ArgumentText, LONGEST_TEXT, PlainText, RecordText, textOf } from './argument-text.ts'

/** Bytes of an input that is not in the record as a value: longer ones are not looked into. */
const LONGEST_PARSED = 8 * 1024 * 1024

/** The arguments of a call, wherever they are; good while its record is current. */
export interface CallArguments {
  /** The first of these that holds a string with anything in it. */
  text(names: ArgumentNames): string | null
  /** As `text`, before it is decoded. */
  find(names: ArgumentNames): ArgumentText | null
  /** The first of these that holds a whole number, also as a string. */
  whole(names: ArgumentNames): number | null
  isTrue(names: ArgumentNames): boolean
  /** The first of these that is an array or object, as plain values; null when it is too long. */
  plain(names: ArgumentNames): unknown
  /** The object under one of these. */
  inner(names: ArgumentNames): CallArguments | null
  /** The names of the fields that hold objects: some harnesses file what is to be done under the path of its file. */
  objects(): string[]
  /** All of the input when it is text and no object. */
  readonly raw: ArgumentText | null
}

/** What can be asked of an input. A list without a name is one of files. */
export function argumentsOf(record: RecordView, input: Json): CallArguments {
  if (input === null) return new PlainArguments({}, null)
  if (typeof input !== 'number') {
    const value = parsed(input)
    return typeof value === 'string' ? ofText(new PlainText(value, input)) : ofValue(value)
  }
  if (record.isArray(input)) return ofValue(plainAt(record, input))
  if (!record.isString(input)) return new RecordArguments(record, input)
  return ofText(new RecordText(record, input, LONGEST_PARSED))
}

function ofValue(value: unknown): CallArguments {
  return new PlainArguments(Array.isArray(value) ? { files: value } : isRecord(value) ? value : {}, null)
}

/** Some harnesses write the arguments as JSON in a string; other text is an argument by itself. */
function ofText(raw: ArgumentText): CallArguments {
  const head = raw.head()
  const text = head.startsWith('{') ? raw.text() : null
  const value = text === null ? null : parse(text)
  return isRecord(value) ? new PlainArguments(value, null) : new PlainArguments({}, head === '' ? null : raw)
}

class RecordArguments implements CallArguments {
  readonly raw = null
  private readonly record: RecordView
  private readonly node: Node

  constructor(record: RecordView, node: Node) {
    this.record = record
    this.node = node
  }

  text(wanted: ArgumentNames): string | null {
    const node = this.string(wanted)
    return node === NONE || this.record.rawBytes(node) > LONGEST_TEXT ? null : this.record.text(node)
  }

  find(wanted: ArgumentNames): ArgumentText | null {
    const node = this.string(wanted)
    return node === NONE ? null : new RecordText(this.record, node)
  }

  whole(wanted: ArgumentNames): number | null {
    const { record } = this
    for (const value of this.under(wanted)) {
      const found = record.integer(value) ?? wholeIn(record.isString(value) ? record.head(value, 32) : null)
      if (found !== null) return found
    }
    return null
  }

  isTrue(wanted: ArgumentNames): boolean {
    return this.under(wanted).some((value) => this.record.bool(value) === true)
  }

  plain(wanted: ArgumentNames): unknown {
    const { record } = this
    const list = this.under(wanted).find((value) => record.isArray(value) || record.isObject(value))
    return list === undefined ? null : plainAt(record, list)
  }

  inner(wanted: ArgumentNames): CallArguments | null {
    const value = this.under(wanted).find((one) => this.record.isObject(one))
    return value === undefined ? null : new RecordArguments(this.record, value)
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

  private string(wanted: ArgumentNames): Node {
    const { record } = this
    wanted.find(record, this.node)
    for (let i = 0; i < wanted.names.length; i++) {
      const value = wanted.at(i)
      if (record.isString(value) && record.rawBytes(value) > 2) return value
    }
    return NONE
  }

  /** What stands under these names, in their order. */
  private under(wanted: ArgumentNames): readonly Node[] {
    wanted.find(this.record, this.node)
    const found: Node[] = []
    for (let i = 0; i < wanted.names.length; i++) {
      const value = wanted.at(i)
      if (value !== NONE) found.push(value)
    }
    return found
  }
}

/** Arguments that are values already: of an input that was text, or of one entry of a list. */
class PlainArguments implements CallArguments {
  readonly raw: ArgumentText | null
  private readonly values: Readonly<Record<string, unknown>>

  constructor(values: Readonly<Record<string, unknown>>, raw: ArgumentText | null) {
    this.values = values
    this.raw = raw
  }

  text(wanted: ArgumentNames): string | null {
    for (const name of wanted.names) {
      const value = this.value(name)
      if (typeof value === 'string' && value !== '') return value
    }
    return null
  }

  find(wanted: ArgumentNames): ArgumentText | null {
    return textOf(this.text(wanted) ?? '')
  }

  whole(wanted: ArgumentNames): number | null {
    for (const name of wanted.names) {
      const value = this.value(name)
      const found = typeof value === 'number' ? value : wholeIn(value)
      if (Number.isSafeInteger(found)) return found
    }
    return null
  }

  isTrue(wanted: ArgumentNames): boolean {
    return wanted.names.some((name) => this.value(name) === true)
  }

  plain(wanted: ArgumentNames): unknown {
    for (const name of wanted.names) {
      const value = this.value(name)
      if (typeof value === 'object' && value !== null) return value
    }
    return null
  }

  inner(wanted: ArgumentNames): CallArguments | null {
    const value = this.plain(wanted)
    return isRecord(value) ? new PlainArguments(value, null) : null
  }

  objects(): string[] {
    return keysOf(this.values).filter((name) => isRecord(this.values[name]))
  }

  private value(name: string): unknown {
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
