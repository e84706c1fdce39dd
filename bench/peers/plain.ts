import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs'
import { basename, join } from 'node:path'
import { nativeIsValid } from '../../src/kernel/second-opinion.ts'
import { eachLineOf } from '../lines.ts'
import { PlainPipeline } from '../plain-pipeline.ts'
import type { Line, Usage } from '../plain-records.ts'
import { addTokens, NO_TOKENS, type Sums, type Tokens } from './answers.ts'

// A program of its own: what one would write in a day with the means of Node, one thread.
// Arguments: `parse`, `simdjson`, `usage` or `convert`, a folder for outputs, files.

/** Lines that `JSON.parse` takes. */
function parseAll(files: readonly string[]): object {
  let records = 0
  for (const path of files) {
    eachLineOf(path, (text) => {
      JSON.parse(text)
      records++
    })
  }
  return { records }
}

/** Lines that the binding was asked about; its no is no proof. */
function validateAll(files: readonly string[]): object {
  const isValid = nativeIsValid()
  if (isValid === null) throw new Error('simdjson is not built')
  let records = 0
  for (const path of files) {
    eachLineOf(path, (text) => {
      if (typeof isValid(text) === 'boolean') records++
    })
  }
  return { records }
}

/** Tokens of all lines, and of each request once, of whose lines the last one counts. */
function addUp(files: readonly string[]): Sums {
  let lines = NO_TOKENS
  const requests = new Map<string, Tokens>()
  for (const path of files) {
    eachLineOf(path, (text) => {
      const { message, requestId }: Line = JSON.parse(text)
      if (message?.usage === undefined) return
      const tokens = tokensOf(message.usage)
      lines = addTokens(lines, tokens)
      requests.set(`${message.id} ${requestId}`, tokens)
    })
  }
  return { lines, requests: [...requests.values()].reduce(addTokens, NO_TOKENS) }
}

function tokensOf(usage: Usage): Tokens {
  return {
    input: usage.input_tokens,
    cacheRead: usage.cache_read_input_tokens,
    cacheWrite: usage.cache_creation_input_tokens,
    output: usage.output_tokens,
  }
}

/** Files to events, a file each. */
function convertAll(files: readonly string[], to: string): object {
  mkdirSync(to, { recursive: true })
  let events = 0
  for (const path of files) {
    const pipeline = new PlainPipeline(basename(path))
    const fd = openSync(join(to, basename(path)), 'w')
    const write = (): unknown => writeSync(fd, pipeline.take())
    eachLineOf(path, (text) => pipeline.line(text), write)
    pipeline.end()
    write()
    closeSync(fd)
    events += pipeline.events
  }
  return { events }
}

const [, , what = '', to = '', ...files] = process.argv
const work: Readonly<Record<string, () => object>> = {
  parse: () => parseAll(files),
  simdjson: () => validateAll(files),
  usage: () => addUp(files),
  convert: () => convertAll(files, to),
}
const answer = work[what]?.()
if (answer === undefined) throw new TypeError(`there is no ${what}`)
console.log(JSON.stringify(answer))
