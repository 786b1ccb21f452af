/** The file of the words for cron expressions, loaded by `cron-words.ts`. */
import { toString as words } from 'cronstrue'

/** @param pattern five fields, without a zone @throws when it is none that it knows */
const cronWords = (pattern: string): string => words(pattern, { use24HourTimeFormat: true })

export type CronWords = typeof cronWords
globalThis.troupeCronWords = cronWords
