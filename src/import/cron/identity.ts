/** Which definition a job of a crontab became when it was imported before: its text has a mark. */
import { createHash } from 'node:crypto'
import { entriesIn, MIB, readIn } from '../source.ts'
import type { Job } from './parse.ts'

/** A definition that was made of a job. */
export interface Known {
  fileName: string
  from: string
  /** The line of the crontab, as it was. */
  line: string
  job: string
  /** Nobody has changed it since. */
  isUntouched: boolean
}

const short = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 12)

// D1633: a job is what it runs
/** Neither the line nor the times of a job are part of it: these may change. */
const jobOf = ({ user = '', command, input = '' }: Job): string => short(JSON.stringify([user, command, input]))

const lineOf = ({ text }: Job): string => text.replace(/[\0-\x08\x0b-\x1f]/g, ' ')

/** A definition with the mark by which the next import finds it. */
export const marked = (body: string, job: Job, from: string): string =>
  `# From ${from}:\n# ${lineOf(job)}\n# Imported as job ${jobOf(job)}, text ${short(body)}\n\n${body}`

const MARK = /^# From (.*):\n# (.*)\n# Imported as job ([0-9a-f]{12}), text ([0-9a-f]{12})\n\n/

/** The definitions of a folder that were made of jobs. */
export const knownIn = (dagsDir: string): Known[] =>
  entriesIn(dagsDir).flatMap(({ name }) => {
    const read = name.endsWith('.yaml') ? readIn(dagsDir, name, MIB) : undefined
    const found = read && 'text' in read ? MARK.exec(read.text) : null
    if (!read || !('text' in read) || !found) return []
    const [whole, from = '', line = '', job = '', text] = found
    const isUntouched = short(read.text.slice(whole.length)) === text
    return [{ fileName: name.slice(0, -'.yaml'.length), from, line, job, isUntouched }]
  })

/** The definition of each job that has one. Of equal jobs, those with an equal line belong together, then the others by their order. */
export function matched(jobs: readonly Job[], from: string, known: readonly Known[]): Map<Job, Known> {
  const free = new Set(known.filter((one) => one.from === from))
  const pairs = new Map<Job, Known>()
  for (const isSame of [(job: Job, one: Known) => one.line === lineOf(job), () => true])
    for (const job of jobs) {
      if (pairs.has(job)) continue
      const one = [...free].find((one) => one.job === jobOf(job) && isSame(job, one))
      if (!one) continue
      pairs.set(job, one)
      free.delete(one)
    }
  return pairs
}
