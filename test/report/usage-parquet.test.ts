import { parquetMetadata, parquetReadObjects } from 'hyparquet'
import { describe, expect, test } from 'vitest'
import { usageParquet } from '../../src/report/usage-parquet.ts'
import type { LedgerEntry } from '../../src/usage/entry.ts'
import type { GroupKey } from '../../src/usage/group.ts'
import { entry, tokens } from '../usage/entries.ts'
import { usageReport } from './reporting.ts'

/** Rows of the report as a reader that shares no code with the writer sees them. */
async function rowsOf(entries: readonly LedgerEntry[], by: readonly GroupKey[]) {
  const file = await fileOf(entries, by)
  return parquetReadObjects({ file })
}

async function fileOf(entries: readonly LedgerEntry[], by: readonly GroupKey[]): Promise<ArrayBuffer> {
  const bytes = await usageParquet(usageReport(entries, by))
  return new Uint8Array(bytes).buffer
}

describe('a Parquet file of usage', () => {
  test('has a row a row, in their order, with nulls for what is unknown', async () => {
    const known = entry({
      model: 'claude-opus-4-8',
      tokens: tokens({ input: 1, cacheRead: 2, cacheWrite: 0, output: 4 }),
      webSearches: 0,
      reportedPicoUsd: 1_500_000_000_000n,
    })
    const unknown = entry({
      model: null,
      final: false,
      tokens: tokens({ input: 5, cacheRead: null, output: null }),
    })
    expect(await rowsOf([known, unknown], ['model', 'day'])).toEqual([
      {
        model: 'claude-opus-4-8',
        day: '2026-11-30',
        requests: 1n,
        tokens_input: 1n,
        tokens_cache_read: 2n,
        tokens_cache_write_5m: 0n,
        tokens_cache_write_1h: 0n,
        tokens_cache_write: 0n,
        tokens_output: 4n,
        tokens_reasoning: null,
        tokens_total: 7n,
        web_search_requests: 0n,
        cost_reported_usd: 1.5,
        cost_computed_usd: 0.000106,
        lower_bound: false,
        partial_cost: false,
      },
      {
        model: null,
        day: '2026-11-30',
        requests: 1n,
        tokens_input: 5n,
        tokens_cache_read: null,
        tokens_cache_write_5m: 0n,
        tokens_cache_write_1h: 0n,
        tokens_cache_write: null,
        tokens_output: null,
        tokens_reasoning: null,
        tokens_total: 5n,
        web_search_requests: null,
        cost_reported_usd: null,
        cost_computed_usd: null,
        lower_bound: true,
        partial_cost: true,
      },
    ])
  })

  test('keeps counts beyond 2^32 and prices beyond 2^53 to the last digit', async () => {
    const price = 9_223_372_036_854_775_809_000_000_000_001n
    const file = await fileOf(
      [entry({ tokens: tokens({ cacheRead: 5_000_000_000_001 }), reportedPicoUsd: price })],
      ['model'],
    )
    const metadata = parquetMetadata(file)
    // Read as what is in the file: a decimal would become a double on its way.
    const schema = metadata.schema.map(({ converted_type: _converted, ...element }) => element)
    const [row] = await parquetReadObjects({ file, metadata: { ...metadata, schema }, utf8: false })
    expect(row?.['tokens_cache_read']).toBe(5_000_000_000_001n)
    const unscaled: unknown = row?.['cost_reported_usd']
    if (!(unscaled instanceof Uint8Array)) throw new Error('the price is not read as bytes')
    expect(BigInt(`0x${Buffer.from(unscaled).toString('hex')}`)).toBe(price)
  })

  test('declares its types, and says what its numbers are', async () => {
    const { schema, key_value_metadata: said } = parquetMetadata(await fileOf([entry()], ['hour']))
    const types = Object.fromEntries(schema.map(({ name, type, repetition_type: r }) => [name, [type, r]]))
    expect(types).toMatchObject({
      hour: ['BYTE_ARRAY', 'OPTIONAL'],
      requests: ['INT64', 'REQUIRED'],
      tokens_total: ['INT64', 'OPTIONAL'],
      cost_computed_usd: ['FIXED_LEN_BYTE_ARRAY', 'OPTIONAL'],
      partial_cost: ['BOOLEAN', 'REQUIRED'],
    })
    expect(schema.find(({ name }) => name === 'cost_computed_usd')).toMatchObject({
      precision: 38,
      scale: 12,
    })
    expect(said).toEqual([
      { key: 'format', value: 'millrace.usage/1' },
      { key: 'zone', value: 'Europe/Madrid' },
      { key: 'prices', value: 'list' },
    ])
  })

  test('without rows has its columns all the same', async () => {
    const file = await fileOf([], ['model', 'session'])
    expect(await parquetReadObjects({ file })).toEqual([])
    expect(parquetMetadata(file).schema).toHaveLength(17)
  })
})
