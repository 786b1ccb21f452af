/** Steps that live on while what is stored of them cannot be used. They are known by variables that each step has, below the keepers of this home. */
import { readdirSync, readFileSync, readlinkSync, realpathSync, writeFileSync } from 'node:fs'
import { sep } from 'node:path'
import type { RunKey } from '../../../machines/vocabulary.ts'
import { bootId, environOf, statOf } from '../../platform/process-identity.ts'

/** What each step has, before the path of its stdout log. */
export const STDOUT = 'DAG_RUN_STEP_STDOUT_FILE='
const NAME = 'DAG_NAME='
const ID = 'DAG_RUN_ID='

export interface Survivor {
  pid: number
  run: RunKey
}

// D49
/**
 * Steps that keepers hold, by the path of their stdout log. Looks at every process there is.
 * @param below the folder in which the keepers of all engines on this home work
 */
export function survivors(below: string): Map<string, Survivor> {
  const found = new Map<string, Survivor>()
  const place = `${realpathSync(below)}${sep}`
  for (const entry of readdirSync('/proc')) {
    const stat = /^\d+$/.test(entry) ? statOf(Number(entry)) : undefined
    if (!stat?.alive || stat.pid !== stat.session || !keeperOf(stat.parent)?.folder.startsWith(place)) continue
    const texts = environOf(stat.pid).split('\0')
    const given = (variable: string) => texts.find((text) => text.startsWith(variable))?.slice(variable.length)
    const stdout = given(STDOUT)
    if (stdout !== undefined)
      found.set(stdout, { pid: stat.pid, run: { name: given(NAME) ?? '', dagRunId: given(ID) ?? '' } })
  }
  return found
}

/** How the command line of a keeper begins, and of the warden. */
const KEEPER = /^(sh\0|\S*perl\0-f\0)\.\/(keeper|warden)\0/

/** Whether it is a keeper or a warden, of whichever home. */
export function isHolder(pid: number): boolean {
  try {
    return KEEPER.test(readFileSync(`/proc/${pid}/cmdline`, 'utf8'))
  } catch {
    return false // it is gone
  }
}

/** The keeper in whose session a process is, and where it works; undefined: in none, so that a daemon that a step left behind is no step. */
function keeperOf(pid: number): { pid: number; folder: string } | undefined {
  const session = statOf(pid)?.session ?? 0
  try {
    if (!isHolder(session)) return undefined
    return { pid: session, folder: readlinkSync(`/proc/${session}/cwd`) }
  } catch {
    return undefined
  }
}

/** Writes the record of one anew, as its keeper wrote it: the keeper adds the end. @returns whether it is there */
export function recordAnew(path: string, pid: number): boolean {
  const stat = statOf(pid)
  const keeper = stat && keeperOf(stat.parent)?.pid
  if (keeper === undefined) return false
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').trimEnd()
    const at = fields.lastIndexOf(')') + 2
    const [state, parent, group, , ...rest] = fields.slice(at).split(' ')
    const began = `${fields.slice(0, at)}${[state, parent, group, keeper, ...rest].join(' ')}`
    writeFileSync(path, `${bootId()} 0 ${began}\n`, { flag: 'wx', mode: 0o600 })
    return true
  } catch {
    return false // it has ended meanwhile
  }
}
