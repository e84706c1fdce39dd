export { type Adapter, type AdapterContext, type Ending, type Evidence } from './dialect/adapter.ts'
export { Dialects } from './dialect/registry.ts'
export { type CheckLine, verdictOf } from './dialect/verdict.ts'
export type * from './event/events.ts'
export type * from './event/billing.ts'
export { Bin, type Sink } from './event/sink.ts'
export type { Decimal, Json, Text, TextList } from './event/value.ts'
export { key, keys, type Key } from './kernel/key.ts'
export { type JsonBytes, type Node, RecordView } from './kernel/record.ts'
export { convert, type Converted, type ConvertRequest, type Destination } from './pipeline/convert.ts'
export {
  type Counted,
  type CountedUsage,
  type CountRequest,
  countRecords,
  countUsage,
  inspect,
  type UsageRequest,
} from './pipeline/count.ts'
export { explain, type Explanation } from './pipeline/explain.ts'
export type { CabinetSettings, TranscriptResult } from './pipeline/job.ts'
export type { Listed } from './pipeline/listed.ts'
export type { ReadOptions } from './pipeline/options.ts'
export { OutputError } from './pipeline/output-error.ts'
export { DescriptorOutput, type Output } from './pipeline/output.ts'
export { SourceError } from './source/source-error.ts'
