import type { JsonBytes, Node } from '../kernel/record.ts'

/**
 * What an event carries, before any sink has decided what to do with it. A `Node` belongs to the record
 * that was announced last (`Sink.record`); writers copy its bytes as they are. A string is text of our own or
 * text kept from an earlier record. Null is unknown.
 */

/** Text: a JSON string in the record, a decoded string, or a kept JSON string. */
export type Text = Node | string | JsonBytes | null

/** Any JSON value: in the record, or kept. */
export type Json = Node | JsonBytes | null

/** A decimal number whose spelling is kept: in the record, or as the characters of a JSON number. */
export type Decimal = Node | string | null

/** A list of strings; null when the producer did not say, empty when it said there are none. */
export type TextList = readonly Text[] | null
