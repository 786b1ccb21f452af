/** Steps that live on while their entries cannot be used, known by variables that each step has, below the holders of this home. */
import { readdirSync, readFileSync, readlinkSync, realpathSync, writeFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import type { RunKey } from '../../../machines/vocabulary.ts'
import { bootId, environOf, statOf } from '../../platform/process-identity.ts'

/** `<pid>.held` in a launcher's folder: pids of the steps it holds, 32 bits each. */
const HELD_SUFFIX = '.held'
/** The variable that each step has, before the path of its stdout log. */
export const STDOUT = 'DAG_RUN_STEP_STDOUT_FILE='
const NAME = 'DAG_NAME='
const ID = 'DAG_RUN_ID='

export interface Survivor {
  pid: number
  run: RunKey
}

// D49: a run whose log folder is gone after a restart has lost its execution records
/**
 * Steps that are held, by the path of their stdout log. Looks at every process there is.
 * @param below the folder in which the holders of all engines on this home work
 */
export function survivors(below: string): Map<string, Survivor> {
  const found = new Map<string, Survivor>()
  for (const entry of readdirSync('/proc')) {
    const stat = /^\d+$/.test(entry) ? statOf(Number(entry)) : undefined
    if (!stat?.alive || stat.pid !== stat.session || !isStepOf(holderOf(stat.parent, below), stat.pid)) continue
    const texts = environOf(stat.pid).split('\0')
    const given = (variable: string) => texts.find((text) => text.startsWith(variable))?.slice(variable.length)
    const stdout = given(STDOUT)
    if (stdout !== undefined)
      found.set(stdout, { pid: stat.pid, run: { name: given(NAME) ?? '', dagRunId: given(ID) ?? '' } })
  }
  return found
}

/** Whether a process holds steps, of this release or an earlier one: these work in a folder of their engine's. */
export function isHolder(pid: number, below: string): boolean {
  return folderOf(pid)?.startsWith(placeOf(below)) === true
}

function placeOf(below: string): string {
  try {
    return `${realpathSync(below)}${sep}`
  } catch {
    return `${below}${sep}` // somebody has removed it
  }
}

function folderOf(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`)
  } catch {
    return undefined // it is gone, or of another user
  }
}

/** The holder in whose session a process is; undefined: in none. */
function holderOf(pid: number, below: string): number | undefined {
  const session = statOf(pid)?.session ?? 0
  return session > 0 && isHolder(session, below) ? session : undefined
}

/** The launcher also gets the daemons that steps leave behind, which are no steps, and says which of its children are. */
function isStepOf(holder: number | undefined, pid: number): boolean {
  if (holder === undefined) return false
  try {
    const bytes = readFileSync(join(`/proc/${holder}/cwd`, `${holder}${HELD_SUFFIX}`))
    return new Int32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength >> 2).includes(pid)
  } catch {
    return true // a shell that an earlier release has left holds one step and nothing else
  }
}

/** Writes the record of one again, as its holder wrote it: the holder adds the end. @returns whether it is there */
export function recordAgain(path: string, pid: number, below: string): boolean {
  const stat = statOf(pid)
  const holder = stat && holderOf(stat.parent, below)
  if (holder === undefined) return false
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').trimEnd()
    const at = fields.lastIndexOf(')') + 2
    const [state, parent, group, , ...rest] = fields.slice(at).split(' ')
    const began = `${fields.slice(0, at)}${[state, parent, group, holder, ...rest].join(' ')}`
    writeFileSync(path, `${bootId()} 0 ${began}\n`, { flag: 'wx', mode: 0o600 })
    return true
  } catch {
    return false // it has ended meanwhile
  }
}
