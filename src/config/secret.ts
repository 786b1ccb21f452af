/** A value that prints as `***`, so that no log, response or error can contain it by accident. Source: reliability 5.3 R13. */
const MASK = '***'

export class Secret {
  readonly #value: string

  constructor(value: string) {
    this.#value = value
  }

  /** The value itself, for the one place that compares or sends it. */
  reveal(): string {
    return this.#value
  }

  toString(): string {
    return MASK
  }

  toJSON(): string {
    return MASK
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return MASK
  }
}
