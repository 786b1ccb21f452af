/** What each file of tests took, by the clock on the wall and in processor time: noted where it runs, kept from one `make test` to the next. */
import { appendFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, relative } from 'node:path'

/** Name of the variable with the path of a file that gets a line for each file of tests that has ended. */
export const TIMES = 'TROUPE_TEST_TIMES'
const TICK_MS = 10
/** The record of the repository, which a new checkout begins with: files that take at least so long. */
export const KEPT = 'test/times.jsonl'
export const LONG_MS = 5_000

export interface FileTimes {
  file: string
  /** Loading it included. */
  wallMs: number
  /** Of the process that runs it and of those that it has started, a browser among them. */
  processorMs: number
}

let before = { wallMs: 0, processorMs: 0 }

/** So far, of this process and of those that it has started: what they have ended with, and what those that still run have used. Where there is no `/proc`, that of this process alone. */
function processorMs(): number {
  try {
    const parents = new Map<string, string[]>()
    const used = new Map<string, number>()
    for (const id of readdirSync('/proc').filter((name) => /^\d/.test(name))) {
      const fields = statOf(id)
      parents.set(fields[1] ?? '', [...(parents.get(fields[1] ?? '') ?? []), id])
      used.set(
        id,
        fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks) * TICK_MS, 0)
      )
    }
    const of = (id: string): number => (used.get(id) ?? 0) + sum((parents.get(id) ?? []).map(of))
    return of(String(process.pid))
  } catch {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1_000
  }
}

/** State, parent and what follows; nothing of one that has ended meanwhile. */
function statOf(id: string): string[] {
  try {
    return readFileSync(`/proc/${id}/stat`, 'latin1').split(') ').at(-1)?.split(' ') ?? []
  } catch {
    return []
  }
}

/** Notes what has passed since the file before it ended in this process, or since the process began. */
export function noteTimes(file: string | undefined): void {
  const path = process.env[TIMES]
  if (path === undefined || file === undefined) return
  const now = { wallMs: performance.now(), processorMs: processorMs() }
  const times: FileTimes = {
    file: relative('', file),
    wallMs: Math.round(now.wallMs - before.wallMs),
    processorMs: Math.round(now.processorMs - before.processorMs)
  }
  before = now
  appendFileSync(path, `${JSON.stringify(times)}\n`)
}

/** Those of a record, the slowest first; none where nothing was kept. */
export function timesIn(path: string): FileTimes[] {
  try {
    const lines = readFileSync(path, 'utf8').split('\n').filter(Boolean)
    const latest = new Map(lines.map((line) => JSON.parse(line) as FileTimes).map((times) => [times.file, times]))
    return [...latest.values()].sort((a, b) => b.wallMs - a.wallMs)
  } catch {
    return []
  }
}

/** Keeps what was noted, over what the record has of the same files. */
export function keepTimes(path: string, noted: readonly FileTimes[]): void {
  const own = new Set(noted.map(({ file }) => file))
  const all = [...noted, ...timesIn(path).filter(({ file }) => !own.has(file))]
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, all.map((times) => `${JSON.stringify(times)}\n`).join(''))
}

/** Files so that those which took longest begin first: nobody waits for one alone at the end. Those without a time are short, and come last. */
export function longestFirst(files: readonly string[], record: readonly FileTimes[]): string[] {
  const known = new Map(record.map(({ file, wallMs }) => [file, wallMs]))
  const of = (file: string) => known.get(file) ?? 0
  return files.toSorted((a, b) => of(b) - of(a))
}

/** Of files in this order, those of one machine of several: `2/3` is every third, beginning with the second. All without it. */
export function shareOf(files: readonly string[], share = '1/1'): string[] {
  const [, own = 0, all = 0] = (/^([1-9]\d*)\/([1-9]\d*)$/.exec(share) ?? []).map(Number)
  if (own < 1 || own > all)
    throw new Error(`SHARE: wanted a number of machines and which it is, such as 2/3, found ${share}`)
  return files.filter((_, at) => at % all === own - 1)
}

const seconds = (ms: number) => (ms / 1_000).toFixed(1)
const sum = (all: readonly number[]) => all.reduce((total, one) => total + one, 0)

/** The slowest files, and the whole, as lines of a table. */
export function slowest(times: readonly FileTimes[], most = 20): string[] {
  const rows = times
    .toSorted((a, b) => b.wallMs - a.wallMs)
    .slice(0, most)
    .map(
      ({ file, wallMs, processorMs }) => `${seconds(wallMs).padStart(7)} ${seconds(processorMs).padStart(9)}  ${file}`
    )
  const wall = seconds(sum(times.map(({ wallMs }) => wallMs)))
  const processor = seconds(sum(times.map(({ processorMs }) => processorMs)))
  return [
    '   wall processor  s',
    ...rows,
    `${wall.padStart(7)} ${processor.padStart(9)}  ${times.length} files together`
  ]
}
