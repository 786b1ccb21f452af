/** The engine's log: a line per event on standard error, without values. Source: definition-format "Operational configuration". */
import { writeSync } from 'node:fs'
import type { Clock } from './clock.ts'
import { isA, memberOf, messageOf, TroupeError, thrownText, whenRejected } from './errors.ts'

export interface Log {
  debug(message: string, fields?: Record<string, unknown>): void
  info(message: string, fields?: Record<string, unknown>): void
  warn(message: string, fields?: Record<string, unknown>): void
  error(message: string, fields?: Record<string, unknown>): void
}

export interface LogOptions {
  format: 'text' | 'json'
  debug: boolean
  write?: (line: string) => void
}

export function openLog(clock: Clock, { format, debug, write = toStderr }: LogOptions): Log {
  const say =
    (level: string) =>
    (message: string, fields: Record<string, unknown> = {}) => {
      const time = new Date(clock.now()).toISOString()
      const line =
        format === 'json'
          ? JSON.stringify({ time, level, msg: message, ...fields })
          : `${time} ${level} ${message}${Object.entries(fields)
              .map(([key, value]) => ` ${key}=${JSON.stringify(value)}`)
              .join('')}`
      write(`${line}\n`)
    }
  return { debug: debug ? say('DEBUG') : () => {}, info: say('INFO'), warn: say('WARN'), error: say('ERROR') }
}

/** A stream that has failed once stays broken; its file can be written again when there is disk space. */
function toStderr(line: string): void {
  if (!process.stderr.destroyed) process.stderr.write(line)
  else
    try {
      writeSync(2, line)
    } catch {
      // The failure cannot be reported anywhere, and the service does not depend on it.
    }
}

const MOST_CAUSES = 5

/** An error with all its causes: for the operator, never for callers. */
export function causesOf(error: unknown): string {
  const said = [thrownText(error)]
  for (let at = error, depth = 1; depth < MOST_CAUSES; depth++) {
    // Attempts on several addresses are one error without a message.
    at = isA(at, AggregateError) ? memberOf(at.errors, 0) : isA(at, Error) ? memberOf(at, 'cause') : undefined
    if (isA(at, Error) && memberOf(at, 'message') !== '') said.push(thrownText(at))
  }
  return said.join(' <- ')
}

/** A survived failure on one line; an unexpected one is a defect and has the place where it was thrown. */
export function survived(log: Log, error: unknown): void {
  if (isA(error, TroupeError)) log.error('a failure was survived', { ...runOf(error), error: causesOf(error) })
  else
    log.error('a defect was survived', {
      error: (isA(error, Error) && memberOf(error, 'stack')) || thrownText(error)
    })
}

/** The run that an error is about, if it says so. */
function runOf({ details }: TroupeError): { name?: string; dagRunId?: string } {
  const { name, dagRunId } = details ?? {}
  return typeof name === 'string' && typeof dagRunId === 'string' ? { name, dagRunId } : {}
}

/**
 * The log of a host application. No run may depend on it: when it throws or rejects, the engine continues.
 * @param warn called once; default: a warning of the process
 */
export function withstood(log: Log, warn: (text: string) => void = process.emitWarning): Log {
  let isTold = false
  function failed(error: unknown): void {
    if (isTold) return
    isTold = true
    warn(`the log that the host application has given to Troupe failed: ${messageOf(error)}`)
  }
  const say =
    (level: keyof Log) =>
    (...entry: Parameters<Log['info']>) => {
      try {
        whenRejected(log[level](...entry), failed)
      } catch (error) {
        failed(error)
      }
    }
  return { debug: say('debug'), info: say('info'), warn: say('warn'), error: say('error') }
}

/** For hosts without a log. */
export const silent: Log = { debug() {}, info() {}, warn() {}, error() {} }
