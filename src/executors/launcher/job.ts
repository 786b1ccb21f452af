/** A process to start, as its executor asks for it. */
import { beginningOf, isTooLong, tooLong } from '../../definition/shell/longest-text.ts'
import type { SecretValues } from '../../masking/patterns.ts'
import type { Account } from '../../platform/account.ts'
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
  /** The user whom the step runs as; absent: that of the launcher. The logs become that user's. */
  account?: Account
  /** Folder of the cgroup that it enters before it begins; absent: none. */
  cgroup?: string
  /** The variables may hold secrets, although nothing is masked: the output is not kept. */
  isSecret?: boolean
  /** Path of the record of how it began and ended; must not exist yet. */
  state: string
  /** Length of the stdout file at the start; kept in the record, for reading the output after a restart. */
  offset: number
  /** The step must not begin later, in hundredths of a second since boot: its fence ends it then. Absent: whenever. */
  limit?: number
}

/** Exit code of a step that was not begun, because that was so. Its stderr says it. */
export const TOO_LATE = 75

/** Exit code of a job whose state file was there already, as another engine has settled it, or cannot be written. */
export const CLAIMED = 125
/** Exit code of a step that was not begun, as its logs cannot be opened: that of a refused shell. A command may end with it, too. */
export const NO_LOG = 2

/** @throws Error for what no process can be given: a NUL character, a text that is too long */
export function checkTexts({ cwd, argv, env }: Job): void {
  if ([cwd, ...argv].some(hasNul)) throw new Error('its command holds a NUL character')
  const long = argv.find((text) => isTooLong(text))
  if (long !== undefined) throw tooLong(`the text "${beginningOf(long)}" of its command`, long)
  for (const key in env)
    if (hasNul(key) || hasNul(env[key] ?? '')) throw new Error(`the variable ${key} holds a NUL character`)
}

const hasNul = (text: string): boolean => text.includes('\0')
