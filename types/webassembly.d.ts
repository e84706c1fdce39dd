/**
 * The part of WebAssembly that Node has and the scanner's loader uses.
 *
 * Written out because the only published declarations come with the whole DOM
 * library, which would make `event`, `name`, `status` and `close` valid globals
 * and hide misspelt variables. Unlike the DOM's, `Memory.buffer` here admits
 * that it may be shared.
 */
declare namespace WebAssembly {
  interface Module {
    readonly [Symbol.toStringTag]: 'WebAssembly.Module'
  }
  const Module: new (bytes: ArrayBufferView | ArrayBuffer) => Module

  interface MemoryDescriptor {
    /** Pages of 64 KiB. */
    readonly initial: number
    /** Pages of 64 KiB; needed when shared. */
    readonly maximum?: number
    readonly shared?: boolean
  }
  interface Memory {
    readonly buffer: ArrayBufferLike
    /** @returns the size before growing, in pages of 64 KiB */
    grow(pages: number): number
  }
  const Memory: new (descriptor: MemoryDescriptor) => Memory

  type Imports = Record<string, Record<string, Memory | number | ((...args: number[]) => number | void)>>
  interface Instance {
    readonly exports: Exports
  }
  interface Global {
    readonly value: unknown
  }
  const Global: new (
    descriptor: { readonly value: string; readonly mutable?: boolean },
    value?: number,
  ) => Global

  type Exports = Readonly<Record<string, unknown>>
  const Instance: new (module: Module, imports?: Imports) => Instance

  function compile(bytes: ArrayBufferView | ArrayBuffer): Promise<Module>
  function instantiate(module: Module, imports?: Imports): Promise<Instance>
}
