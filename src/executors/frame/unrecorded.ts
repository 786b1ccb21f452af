/** An execution that never began: its record could not be written. Source: reliability 3.1, P6. */
import { rmSync, writeFileSync } from 'node:fs'

export class Unrecorded extends Error {
  readonly #path: string

  /** @param path of the record; what there is of it says nothing, and is removed */
  constructor(path: string) {
    super(`${path} cannot be written`)
    this.#path = path
    rmSync(path, { force: true })
  }

  /** Writes as much as a record is, beside it. @throws Error why that cannot be done, as the system says it */
  tryAgain(): void {
    const path = `${this.#path}.room`
    try {
      writeFileSync(path, ' '.repeat(RECORD_BYTES), { mode: 0o600 })
    } finally {
      rmSync(path, { force: true })
    }
  }
}

const RECORD_BYTES = 512
