/** What a cron expression means, and in which zone. */
import { serverZone } from '../zone.ts'
import type { CronWords } from './cron-file.ts'

export interface Meaning {
  /** Undefined: not known, or not yet. The expression says it, too. */
  words: string | undefined
  /** IANA name of the zone; empty: not known. */
  zone: string
}

/** As the engine reads the prefix. */
const ZONE = /^\s*(?:CRON_TZ|TZ)=(\S+)\s+/

/** @param wordsOf undefined: they are not loaded */
export function meaningOf(expression: string, wordsOf: CronWords | undefined): Meaning {
  const zone = ZONE.exec(expression)?.[1] ?? serverZone()
  try {
    return { words: wordsOf?.(expression.replace(ZONE, '').trim()), zone }
  } catch {
    return { words: undefined, zone }
  }
}

/** A schedule in words, such as `At 02:00, Monday through Friday, America/New_York`; without words, the expression itself. */
export const meaningText = (expression: string, { words, zone }: Meaning): string =>
  [words ?? expression, zone].filter(Boolean).join(', ')
