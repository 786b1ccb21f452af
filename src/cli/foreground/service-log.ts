/** The log of a command that serves until a signal ends it. */
import type { Config } from '../../config.ts'
import { type Log, openLog } from '../../log.ts'
import type { CliContext } from '../context.ts'

/** A log on stderr; a quiet one has warnings and errors only. */
export function logOf(
  { err, clock }: Pick<CliContext, 'err' | 'clock'>,
  { logFormat, debug }: Config,
  isQuiet: boolean
): Log {
  const log = openLog(clock, { format: logFormat, debug, write: (line) => void err.write(line) })
  return isQuiet ? { ...log, debug() {}, info() {} } : log
}
