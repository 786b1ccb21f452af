/** An execution that never began, because its record could not be written. Source: reliability 3.1, P6. */
import { rmSync, writeFileSync } from 'node:fs'

export class Unrecorded extends Error {
  readonly #path: string

  /** @param path of the record; an incomplete one is removed */
  constructor(path: string) {
    super(`${path} cannot be written`)
    this.#path = path
    rmSync(path, { force: true })
  }

  /** Writes a file of the size of a record beside it. @throws Error of the system when that is impossible */
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
