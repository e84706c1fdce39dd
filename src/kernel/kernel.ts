import { readFileSync } from 'node:fs'

/** What the scan kernel (`assembly/`) does in its memory; all numbers are addresses and counts. */
export interface Kernel {
  readonly scan: (
    start: number,
    end: number,
    nodes: number,
    records: number,
    recordsEnd: number,
    stack: number,
    work: number,
    depthLimit: number,
    document: number,
  ) => void
  readonly gather: (list: number, count: number, to: number) => number
  readonly decodedLength: (start: number, end: number) => number
  readonly nextWith: (record: number, end: number, hash: number) => number
  readonly recordCount: WebAssembly.Global
  readonly lineCount: WebAssembly.Global
  readonly blankCount: WebAssembly.Global
}

/** The compiled kernel; sent to workers so that they need not compile it again. */
export function compileKernel(): WebAssembly.Module {
  return new WebAssembly.Module(readFileSync(new URL('../kernel/kernel.wasm', import.meta.url)))
}

/** The kernel at work in `memory`. @throws Error when the compiled kernel is not the one this code was written for */
export function startKernel(module: WebAssembly.Module, memory: WebAssembly.Memory): Kernel {
  const instance = new WebAssembly.Instance(module, { env: { memory, abort } })
  return exportsOf(instance.exports)
}

function abort(): never {
  throw new Error('the scan kernel stopped')
}

/** @throws Error when the compiled kernel is not the one this code was written for */
function exportsOf(exports: WebAssembly.Exports): Kernel {
  const { scan, gather, decodedLength, nextWith, recordCount, lineCount, blankCount } = exports
  if (
    typeof scan !== 'function' ||
    typeof gather !== 'function' ||
    typeof decodedLength !== 'function' ||
    typeof nextWith !== 'function' ||
    !(recordCount instanceof WebAssembly.Global) ||
    !(lineCount instanceof WebAssembly.Global) ||
    !(blankCount instanceof WebAssembly.Global)
  ) {
    throw new Error('kernel.wasm does not belong to this version: run the build again')
  }
  // Arguments one by one: a spread would keep the calls from being compiled into direct ones.
  return {
    scan: (start, end, nodes, records, recordsEnd, stack, work, depthLimit, document) => {
      scan(start, end, nodes, records, recordsEnd, stack, work, depthLimit, document)
    },
    gather: (list, count, to) => Number(gather(list, count, to)),
    decodedLength: (start, end) => Number(decodedLength(start, end)),
    nextWith: (record, end, hash) => Number(nextWith(record, end, hash)) >>> 0,
    recordCount,
    lineCount,
    blankCount,
  }
}
