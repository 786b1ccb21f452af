/** A process to start, as its executor asks for it. */
import type { SecretValues } from '../../masking/patterns.ts'
import type { Copies } from '../executor.ts'

export interface Job {
  /** Program and arguments, executed as they are. */
  argv: string[]
  /** Exists. */
  cwd: string
  /** The whole environment of the process. Names that are no shell identifiers (`1`) are passed too. */
  env: Record<string, string>
  /** Absolute paths; appended to, made with mode 0600. */
  stdout: string
  stderr: string
  /** Files that receive a copy. Their folders exist. */
  copies?: Copies
  /** Secrets that are masked in logs and copies; absent: none. */
  masking?: { values: SecretValues; marks?: string }
  /** Its variables may hold secrets, although nothing is masked: its output is not kept. */
  isSecret?: boolean
  /** Path of the record of how it began and ended; must not exist yet. */
  state: string
  /** Length of the stdout file at the start; kept in the record, for whoever reads the output after a restart. */
  offset: number
}
