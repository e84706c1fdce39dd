/**
 * Values that are told again and again, each kept once and known by a number. Beyond so many of them a value stands for
 * itself, so that whoever makes up new ones cannot fill the memory.
 */
export class SharedValues<Value extends string | object> {
  private readonly values: Value[] = []
  private readonly numbers = new Map<string, number>()
  private readonly most: number

  constructor(most: number) {
    this.most = most
  }

  /** What stands for `value`. @param name equal for equal values */
  put(name: string, value: Value): number | Value {
    const known = this.numbers.get(name)
    if (known !== undefined) return known
    if (this.values.length >= this.most) return value
    this.numbers.set(name, this.values.length)
    return this.values.push(value) - 1
  }

  /** The value that something stands for. */
  get(shared: number | Value | null): Value | null {
    return typeof shared === 'number' ? (this.values[shared] ?? null) : shared
  }
}
