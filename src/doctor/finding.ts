/** What the doctor says: what is wrong, where, and how it is mended. */

/** What was looked at. */
export type Check =
  | 'store'
  | 'journal'
  | 'indexes'
  | 'logs'
  | 'definitions'
  | 'lock'
  | 'processes'
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
