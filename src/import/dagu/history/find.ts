/** Finds the runs of a home: `<runs>/<name>/dag-runs/<yyyy>/<mm>/<dd>/dag-run_<time>_<id>/attempt_<time>_<n>`, sub runs in `children`. */
import type { Dirent } from 'node:fs'
import { join, relative } from 'node:path'
import { instantIn } from '../../../../machines/policy/instant.ts'
import type { Report } from '../../report.ts'
import { bytesIn, entriesIn, MIB } from '../../source.ts'
import type { Places } from '../places.ts'
import { type DaguStatus, lastLine } from './status.ts'

/** An attempt that has begun. */
export interface FoundAttempt {
  status: DaguStatus
  /** Folder of the attempt, with `dag.json` in it. */
  folder: string
  /** When the attempt was made, by the name of its folder; epoch ms. */
  madeAt: number
  /** When anything was last written of it. */
  changedAt: number
}

export interface FoundRun {
  /** Oldest first; empty: it has not begun, and waits in its queue. */
  attempts: FoundAttempt[]
  /** The latest status that it had while it waited. */
  waiting?: DaguStatus
  /** The runs below a root run, at any depth. */
  subs: FoundRun[]
}

/** Only the end of a longer file is read: it has the latest line. */
const MOST_STATUS = 16 * MIB
const QUEUED = 5
const NOT_STARTED = 0

/** Oldest first of each name. What cannot be read is reported. */
export function* runsIn({ runs, data }: Places, report: Report): Generator<FoundRun> {
  const say = sayer(report, data)
  for (const dag of folders(runs, say))
    for (const year of folders(join(runs, dag, 'dag-runs'), say, /^\d{4}$/))
      for (const month of folders(join(runs, dag, 'dag-runs', year), say, /^\d\d$/))
        for (const day of folders(join(runs, dag, 'dag-runs', year, month), say, /^\d\d$/)) {
          const folder = join(runs, dag, 'dag-runs', year, month, day)
          for (const run of folders(folder, say, /^dag-run_/)) {
            const found = runAt(join(folder, run), say)
            if (found) yield found
          }
        }
}

/** Named by the path below the data folder. */
type Say = (path: string, text: string, advice?: string) => void

const sayer =
  (report: Report, data: string): Say =>
  (path, text, advice) =>
    report.add({ part: 'history', kind: 'left', what: relative(data, path), text, ...(advice ? { advice } : {}) })

function runAt(folder: string, say: Say): FoundRun | undefined {
  const found = attemptsIn(folder, say)
  if (!found) return undefined
  const children = join(folder, 'children')
  const subs = folders(children, say, /^child_/).flatMap((child) => attemptsIn(join(children, child), say) ?? [])
  return { ...found, subs }
}

function attemptsIn(folder: string, say: Say): FoundRun | undefined {
  const attempts: FoundAttempt[] = []
  let waiting: DaguStatus | undefined
  const names = folders(folder, say, /^attempt_/)
  for (const name of names) {
    const path = join(folder, name)
    const read = bytesIn(path, 'status.jsonl', MOST_STATUS, { tail: true })
    if ('problem' in read) {
      say(join(path, 'status.jsonl'), read.problem, 'the attempt does not come over')
      continue
    }
    const last = lastLine(read.bytes)
    if (!last) {
      say(join(path, 'status.jsonl'), 'has no line that says a status', 'the attempt does not come over')
      continue
    }
    if (last.broken > 0)
      say(
        join(path, 'status.jsonl'),
        `its last ${last.broken === 1 ? 'line is' : `${last.broken} lines are`} no status`,
        'the one before is taken'
      )
    const { status } = last
    if (status.status === QUEUED || status.status === NOT_STARTED) waiting = status
    else {
      waiting = undefined
      attempts.push({ status, folder: path, madeAt: madeAt(name) ?? read.changedAt, changedAt: read.changedAt })
    }
  }
  if (attempts.length === 0 && !waiting) {
    if (names.length === 0) say(folder, 'has no attempt')
    return undefined
  }
  return { attempts, ...(waiting ? { waiting } : {}), subs: [] }
}

/** `attempt_20261128_095126_437Z_326972`, in UTC. */
function madeAt(name: string): number | undefined {
  const parts = /^attempt_(\d{4})(\d\d)(\d\d)_(\d\d)(\d\d)(\d\d)_(\d{3})Z/.exec(name)
  if (!parts) return undefined
  const [, year, month, day, hour, minute, second, ms] = parts
  const at = instantIn(`${year}-${month}-${day}T${hour}:${minute}:${second}.${ms}Z`)
  return Number.isNaN(at) ? undefined : at
}

/** Folders in a folder by name; a link in the place of one is reported. */
function folders(path: string, say: Say, pattern = /^[^.]/): string[] {
  const fits = ({ name }: Dirent) => pattern.test(name)
  return entriesIn(path, (text) => say(path, text))
    .filter(fits)
    .flatMap((entry) => {
      if (entry.isSymbolicLink())
        say(join(path, entry.name), 'is a link', 'copy what it leads to into its place, and import again')
      return entry.isDirectory() ? [entry.name] : []
    })
}
