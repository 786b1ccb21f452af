/** Steps that live on while their records are gone: somebody removed the log folder. They are known by a variable that each step has. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { bootId, environOf, statOf } from '../process-identity.ts'

/** What each step has, before the path of its stdout log. */
export const VARIABLE = 'DAG_RUN_STEP_STDOUT_FILE='

/** Pids of steps that keepers hold, by the path of their stdout log. Looks at every process there is. */
export function survivors(): Map<string, number> {
  const found = new Map<string, number>()
  for (const entry of readdirSync('/proc')) {
    const stat = /^\d+$/.test(entry) ? statOf(Number(entry)) : undefined
    if (!stat?.alive || stat.pid !== stat.session || keeperOf(stat.parent) === undefined) continue
    const variable = environOf(stat.pid)
      .split('\0')
      .find((text) => text.startsWith(VARIABLE))
    if (variable !== undefined) found.set(variable.slice(VARIABLE.length), stat.pid)
  }
  return found
}

/** The keeper in whose session a process is; undefined: in none, so that a daemon that a step left behind is no step. */
function keeperOf(pid: number): number | undefined {
  const session = statOf(pid)?.session ?? 0
  try {
    return /^sh\0\.\/keeper\0/.test(readFileSync(`/proc/${session}/cmdline`, 'utf8')) ? session : undefined
  } catch {
    return undefined
  }
}

/** Writes the record of one anew, as its keeper wrote it: the keeper adds the end. @returns whether it is there */
export function recordAnew(path: string, pid: number): boolean {
  const stat = statOf(pid)
  const keeper = stat && keeperOf(stat.parent)
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
