/** How long after the minute do 200 workflows that are due begin? And what do 10,000 schedules cost that are not? */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Client } from '../client.ts'
import { percentile } from '../figures.ts'
import { type Question, scaled } from '../question.ts'
import { until } from '../waiting.ts'

const DUE = 200
const IDLE = 10_000
const MINUTE_MS = 60_000
/** So long after a minute the first tick is over, and all that reading has left behind. */
const SETTLED_MS = 15_000
/** A minute to come, and the time in which all of it begins. */
const LIMIT_MS = 2 * MINUTE_MS

export const due: Question = {
  name: 'due',
  definitions: (scale) =>
    Object.fromEntries(
      namesOf(scaled(DUE, scale)).map((name) => [
        name,
        `schedule: "* * * * *"\nsteps:\n  - name: s1\n    command: sh -c 'date +%s%N > "$HOME/began-${name}"'\n`
      ])
    ),
  async ask({ home, client }, scale) {
    const names = namesOf(scaled(DUE, scale))
    const lags = await until(`${names.length} scheduled runs`, LIMIT_MS, async () => {
      const found = names.flatMap((name) => lagIn(join(home, `began-${name}`)))
      return found.length === names.length ? found : undefined
    })
    const starts = (await Promise.all(names.map((name) => startedIn(client, name)))).flat()
    return [
      ...(starts.length > 0
        ? [
            { figure: 'lag to started, p50', unit: 'ms', better: 'less' as const, value: percentile(starts, 50) },
            { figure: 'lag to started, p99', unit: 'ms', better: 'less' as const, value: percentile(starts, 99) }
          ]
        : []),
      { figure: 'lag to the first command, p50', unit: 'ms', better: 'less', value: percentile(lags, 50) },
      { figure: 'lag to the first command, p99', unit: 'ms', better: 'less', value: percentile(lags, 99) }
    ]
  }
}

const namesOf = (count: number) => Array.from({ length: count }, (_, index) => `due${index}`)

/** Milliseconds after the minute at which the command ran. */
function lagIn(path: string): number[] {
  try {
    const at = Number(readFileSync(path, 'utf8')) / 1e6
    return at > 0 ? [at % MINUTE_MS] : []
  } catch {
    return [] // not yet
  }
}

/** Milliseconds after the minute at which the first record of the oldest run was made. Dagu reports only seconds, and has no journal. */
async function startedIn(client: Client, name: string): Promise<number[]> {
  const oldest = (await client.runs(name)).at(-1)
  const at = oldest && (await client.startedAt(name, oldest.dagRunId))
  return at === undefined ? [] : [at % MINUTE_MS]
}

export const timetable: Question = {
  name: 'timetable',
  definitions: (scale) =>
    Object.fromEntries(
      Array.from({ length: scaled(IDLE, scale) }, (_, n) => [
        `idle${n}`,
        // On a 31st of February: never due while it is looked at.
        `schedule: "${n % 60} ${n % 24} 31 2 *"\nsteps:\n  - name: s1\n    command: "true"\n`
      ])
    ),
  async ask({ tree, client }) {
    await until('all definitions to be read', LIMIT_MS, () => client.read('/dags?perPage=1').catch(() => undefined))
    await pause(MINUTE_MS - (Date.now() % MINUTE_MS) + SETTLED_MS)
    const before = tree.cpuSeconds()
    await pause(MINUTE_MS)
    const seconds = tree.cpuSeconds() - before
    return [
      { figure: 'CPU while nothing is due', unit: '%', better: 'less', value: (seconds / (MINUTE_MS / 1000)) * 100 }
    ]
  }
}
