import type { SchemaElement } from 'hyparquet-writer'
import { type Figures, shown } from '../usage/figures.ts'
import { shownTokens } from './usage-json.ts'
import type { UsageReport } from './usage-report.ts'

/** One column: how it is declared, and its value in a row. */
interface ParquetColumn {
  readonly element: SchemaElement
  readonly value: (figures: Figures) => bigint | boolean | null
}

/**
 * The rows as a Parquet file: the columns of the CSV, unknown is null. Keys are strings, counts 64 bits wide, and money is
 * DECIMAL(38, 12) in USD, which is exact. Totals are left out, so that a column may be summed; the zone and the prices stand in
 * the file's metadata.
 */
export async function usageParquet({ usage, zone, prices }: UsageReport): Promise<Uint8Array> {
  // Loaded when it is wanted: starting costs more than writing.
  const { ByteWriter, parquetWrite } = await import('hyparquet-writer')
  const writer = new ByteWriter()
  const keys = usage.by.map((name, i) => ({
    element: { name, type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'OPTIONAL' } as const,
    data: usage.rows.map((row) => row.keys[i] ?? null),
  }))
  const figures = COLUMNS.map(({ element, value }) => ({
    element,
    data: usage.rows.map((row) => value(row.figures)),
  }))
  const columns = [...keys, ...figures]
  await parquetWrite({
    writer,
    columnData: columns.map(({ element, data }) => ({ name: element.name, data })),
    schema: [
      { name: 'usage', num_children: columns.length, repetition_type: 'REQUIRED' },
      ...columns.map(({ element }) => element),
    ],
    kvMetadata: [
      { key: 'format', value: 'millrace.usage/1' },
      { key: 'zone', value: zone },
      { key: 'prices', value: prices.source },
    ],
    createdBy: 'millrace',
  })
  return writer.getBytes()
}

type TokenColumn = keyof ReturnType<typeof shownTokens>

const COLUMNS: readonly ParquetColumn[] = [
  { element: whole('requests', 'REQUIRED'), value: ({ requests }) => BigInt(requests) },
  tokens('input'),
  tokens('cache_read'),
  tokens('cache_write_5m'),
  tokens('cache_write_1h'),
  tokens('cache_write'),
  tokens('output'),
  tokens('reasoning'),
  tokens('total'),
  {
    element: whole('web_search_requests', 'OPTIONAL'),
    value: ({ webSearches, requests }) => wide(shown(webSearches, 0, requests)),
  },
  {
    element: money('cost_reported_usd'),
    value: ({ reportedPicoUsd, requests }) => shown(reportedPicoUsd, 0n, requests),
  },
  {
    element: money('cost_computed_usd'),
    value: ({ computedPicoUsd, requests }) => shown(computedPicoUsd, 0n, requests),
  },
  { element: yesOrNo('lower_bound'), value: ({ lowerBound }) => lowerBound },
  { element: yesOrNo('partial_cost'), value: ({ partialCost }) => partialCost },
]

function tokens(name: TokenColumn): ParquetColumn {
  return {
    element: whole(`tokens_${name}`, 'OPTIONAL'),
    value: (figures) => wide(shownTokens(figures.tokens, figures.requests)[name]),
  }
}

function wide(count: number | null): bigint | null {
  return count === null ? null : BigInt(count)
}

function whole(name: string, repetition: 'REQUIRED' | 'OPTIONAL'): SchemaElement {
  return { name, type: 'INT64', repetition_type: repetition }
}

/** Its unscaled value is in 10^-12 USD. */
function money(name: string): SchemaElement {
  return {
    name,
    type: 'FIXED_LEN_BYTE_ARRAY',
    type_length: 16,
    converted_type: 'DECIMAL',
    precision: 38,
    scale: 12,
    repetition_type: 'OPTIONAL',
  }
}

function yesOrNo(name: string): SchemaElement {
  return { name, type: 'BOOLEAN', repetition_type: 'REQUIRED' }
}
