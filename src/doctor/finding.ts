/** What the doctor is given, and what it says: what is wrong, where, and how it is mended. */
import type { Config } from '../config.ts'

/** What is looked at, and what the reader of the configuration has said of it. */
export type Premises = Pick<
  Config,
  'file' | 'home' | 'dagsDir' | 'logDir' | 'dataDir' | 'suspendFlagsDir' | 'baseConfig' | 'warnings' | 'unsupported'
>

/** What was looked at. */
export type Check =
  | 'store'
  | 'journal'
  | 'indexes'
  | 'logs'
  | 'definitions'
  | 'lock'
  | 'processes'
  | 'executors'
  | 'permissions'
  | 'disk'
  | 'configuration'

/** `error`: something does not work, or will not; `warning`: it works and should be looked at; `note`: nothing is wrong. */
export type Severity = 'error' | 'warning' | 'note'

export interface Finding {
  check: Check
  severity: Severity
  /** What was found, and where. */
  message: string
  /** What to do about it; of a note: what happens by itself. */
  mending: string
  /** Mends it; present when that loses nothing. Those of the store are called in one transaction. */
  fix?: () => void
}

/** As it is told of to others: what mends it stays where it was found. */
export type ToldFinding = Omit<Finding, 'fix'> & { fixable: boolean }
export const toldFinding = ({ check, severity, message, mending, fix }: Finding): ToldFinding => ({
  check,
  severity,
  message,
  mending,
  fixable: fix !== undefined
})
