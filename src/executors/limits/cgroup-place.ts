/** The cgroup v2 of this process, or of a setting, for steps. Source: docs/operating/limits.md "Memory, processors, processes". */
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { codeOf, messageOf } from '../../errors.ts'

/** The engine's own group: a group with groups in it has no processes. */
const OWN = 'troupe-engine'

/** The group of this process. @param proc folder of what the kernel says of it @throws Error, as a clause: there is none */
export function ownGroup(proc = '/proc/self'): string {
  const mounts = readFileSync(join(proc, 'mountinfo'), 'utf8').split('\n')
  const [root = '/', mount] = mounts.map(mountOf).find((one) => one !== undefined) ?? []
  if (mount === undefined) throw new Error('this system has no cgroup v2: nothing of the type cgroup2 is mounted')
  const [, path] = /^0::(.*)$/m.exec(readFileSync(join(proc, 'cgroup'), 'utf8')) ?? []
  if (path === undefined) throw new Error('this process is in no cgroup v2')
  // In a container only a part of the tree may be mounted.
  const below = root !== '/' && path.startsWith(root) ? path.slice(root.length) : path
  const group = join(mount, below)
  return basename(group) === OWN ? dirname(group) : group
}

/** `<id> <parent> <device> <root> <mount point> ... - <type> ...` */
function mountOf(line: string): [root: string, mount: string] | undefined {
  const [before = '', after = ''] = line.split(' - ')
  const [, , , root = '', mount = ''] = before.split(' ')
  return after.startsWith('cgroup2 ') ? [root, mount] : undefined
}

/**
 * Makes a group in which each step can have one of its own, with these controllers.
 * @param base the group that it lies in @param isOwn this process may be in it, and is moved into one beside the new group
 * @param name of the new group, the same for every engine of a home
 * @throws Error, as a clause: what is lacking, and what helps
 */
export function makePlace(base: string, isOwn: boolean, name: string, controllers: readonly string[]): string {
  if (!existsSync(join(base, 'cgroup.controllers'))) throw new Error(`${base} is no folder of a cgroup v2`)
  const there = wordsIn(join(base, 'cgroup.controllers'))
  const lacking = controllers.filter((one) => !there.includes(one))
  if (lacking.length > 0)
    throw new Error(
      `the cgroup ${base} has no controller for ${lacking.join(', ')}, only ${there.join(', ') || 'none at all'}`
    )
  const place = join(base, name)
  try {
    // The root of the tree may have processes, too.
    if (isOwn && existsSync(join(base, 'cgroup.type'))) {
      mkdirSync(join(base, OWN), { recursive: true })
      writeFileSync(join(base, OWN, 'cgroup.procs'), String(process.pid))
    }
    enable(base, controllers)
    mkdirSync(place, { recursive: true })
    enable(place, controllers)
  } catch (error) {
    const reason = reasonOf(base, error)
    if (isOwn) leave(base)
    throw new Error(reason, { cause: error })
  }
  return place
}

/** Back to where it was, as nothing has come of it. */
function leave(base: string): void {
  try {
    writeFileSync(join(base, 'cgroup.procs'), String(process.pid))
    rmdirSync(join(base, OWN))
  } catch {
    // An engine before this one may be at work there.
  }
}

function enable(group: string, controllers: readonly string[]): void {
  const file = join(group, 'cgroup.subtree_control')
  const missing = controllers.filter((one) => !wordsIn(file).includes(one))
  if (missing.length > 0) writeFileSync(file, missing.map((one) => `+${one}`).join(' '))
}

function reasonOf(base: string, error: unknown): string {
  const code = codeOf(error)
  if (code === 'EBUSY')
    return `other processes are in the cgroup ${base} (${wordsIn(join(base, 'cgroup.procs')).slice(0, 5).join(', ')}): start the engine in one of its own, as systemd does with Delegate=yes, or name one in steps.cgroup`
  if (['EACCES', 'EPERM', 'EROFS'].includes(code ?? ''))
    return `the cgroup ${base} cannot be written: delegate one to the user of the engine (systemd: Delegate=yes), or name one in steps.cgroup`
  return `the cgroup ${base} cannot be used: ${messageOf(error)}`
}

function wordsIn(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split(/\s+/).filter(Boolean)
  } catch {
    return []
  }
}
