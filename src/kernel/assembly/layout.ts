// The words of nodes and records, in bytes: src/kernel/layout.ts holds the same numbers, and a picture.

export const NODE_BYTES: u32 = 20
export const RECORD_BYTES: u32 = 24

export const KIND_OBJECT: u32 = 1
export const KIND_ARRAY: u32 = 2
export const KIND_STRING: u32 = 3
export const KIND_NUMBER: u32 = 4
export const KIND_TRUE: u32 = 5
export const KIND_FALSE: u32 = 6
export const KIND_NULL: u32 = 7
export const BIT_KEY_ESCAPED: u32 = 0x10
export const BIT_LAST: u32 = 0x40

export const FLAG_UNPARSED: u32 = 1
export const FLAG_TOO_DEEP: u32 = 2
export const FLAG_LONE: u32 = 4
export const FLAG_HUGE: u32 = 8
export const FLAG_DEEP: u32 = 16
export const FLAG_SAME_LINE: u32 = 32
export const FLAG_PADDED: u32 = 64
