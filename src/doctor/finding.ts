/** Input and findings of the doctor: what is wrong, where, and how to fix it. */
import type { Config } from '../config.ts'
import { present } from '../platform/present.ts'

const PREMISES = [
  'file',
  'home',
  'dagsDir',
  'logDir',
  'dataDir',
  'suspendFlagsDir',
  'baseConfig',
  'audit',
  'warnings',
  'unsupported',
  'allowedTypes'
] as const satisfies (keyof Config)[]

/** What is examined, with the warnings of the configuration. */
export type Premises = Pick<Config, (typeof PREMISES)[number]>

/** These members and no others: a complete configuration contains secrets. */
export const premisesOf = (config: Premises): Premises =>
  // Members that may be absent are so in both.
  present(Object.fromEntries(PREMISES.map((name) => [name, config[name]]))) as unknown as Premises

/** What was examined. */
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
  | 'bus'
  | 'notifications'
  /** Only before an upgrade. */
  | 'upgrade'
  | 'backup'
  | 'audit'

/** `error`: something does not work, or will not; `warning`: it works but needs attention; `note`: nothing is wrong. */
export type Severity = 'error' | 'warning' | 'note'

export interface Finding {
  check: Check
  severity: Severity
  /** What was found, and where. */
  message: string
  /** How to fix it; for a note: what happens automatically. */
  mending: string
  /** Fixes it; present when that loses no data. Fixes of the store run in one transaction. */
  fix?: () => void
}

/** A finding as plain data, without its `fix` function. */
export type PlainFinding = Omit<Finding, 'fix'> & { fixable: boolean }
export const plainFinding = ({ check, severity, message, mending, fix }: Finding): PlainFinding => ({
  check,
  severity,
  message,
  mending,
  fixable: fix !== undefined
})
