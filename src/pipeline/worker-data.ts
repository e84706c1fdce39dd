import { workerData } from 'node:worker_threads'

/** What the main thread compiled and laid out for all of its threads. Memories are costly to send, so they come once. */
export function fromMain(): {
  readonly module: WebAssembly.Module | null
  readonly memories: readonly WebAssembly.Memory[]
} {
  // Piscina wraps what it was given for its workers.
  const data: unknown = Array.isArray(workerData) ? workerData[1] : workerData
  if (typeof data !== 'object' || data === null) return { module: null, memories: [] }
  const module = 'module' in data && data.module instanceof WebAssembly.Module ? data.module : null
  const list = 'memories' in data && Array.isArray(data.memories) ? data.memories : []
  return { module, memories: list.filter((memory) => memory instanceof WebAssembly.Memory) }
}

/** @throws RangeError when there is no such slot */
export function slotMemory(slot: number): WebAssembly.Memory {
  const memory = fromMain().memories[slot]
  if (memory === undefined) throw new RangeError(`there is no slot ${slot}`)
  return memory
}

/**
 * Bytes in a slot that another thread has put there, `at` an address. A thread that was still starting when the memory grew
 * does not know of it: growing by nothing makes it look.
 */
export function slotBytes(slot: number, at: number, length: number): Buffer {
  const memory = slotMemory(slot)
  if (memory.buffer.byteLength < at + length) memory.grow(0)
  return Buffer.from(memory.buffer, at, length)
}
