import { type Source, StdinSource, type Trouble } from './source.ts'

/** Standard input that may be left while it is waited for. For the main thread only. */
export class LiveStdin implements Source {
  readonly trouble: Trouble | null = null
  private readonly inner = new StdinSource()
  private closed = false
  private leave: () => void = () => {}
  private readonly left = new Promise<number>((resolve) => {
    this.leave = () => resolve(0)
  })

  async read(into: Uint8Array, at: number, length: number): Promise<number> {
    if (this.closed) return 0
    const answer = this.inner.read(into, at, length)
    if (typeof answer === 'number') return answer
    answer.catch(() => {}) // who has left need not know
    return Promise.race([answer, this.left])
  }

  close(): void {
    if (this.closed) return
    this.closed = true
    this.leave()
    this.inner.close()
  }
}
