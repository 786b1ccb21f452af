/** One live worker per home folder: a file names its process. Source: distribution 5. */
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { codeOf, TroupeError } from '../errors.ts'
import { identityOf, isAlive, type ProcessIdentity } from '../platform/process-identity.ts'

/** Returns a function that releases it. @throws TroupeError service_unavailable naming the process that has it */
export function takeLock(path: string): () => void {
  const self = identityOf(process.pid)
  if (!self)
    throw new TroupeError('internal_error', 'Troupe needs Linux with a mounted /proc: it knows processes by it')
  const own = `${path}.${self.pid}`
  writeFileSync(own, JSON.stringify(self), { mode: 0o600 })
  try {
    while (!isPlaced(own, path)) {
      refuseHeld(path)
      setAside(path, `${own}.left`)
    }
  } finally {
    rmSync(own, { force: true })
  }
  return () => rmSync(path, { force: true })
}

/** A link is made whole or not at all, and never over another. */
function isPlaced(own: string, path: string): boolean {
  try {
    linkSync(own, path)
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
}

/** The lock of a process that has ended. Another process may have done the same a moment ago: what it has placed since is put back. */
function setAside(path: string, aside: string): void {
  try {
    renameSync(path, aside)
    refuseHeld(aside, () => linkSync(aside, path))
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
  } finally {
    rmSync(aside, { force: true })
  }
}

function refuseHeld(path: string, first = () => {}): void {
  const holder = holderIn(path)
  if (!holder || !isAlive(holder)) return
  first()
  throw new TroupeError(
    'service_unavailable',
    `this home is in use by the worker with process id ${holder.pid}: stop that one, or give another --home`
  )
}

/** Undefined: nobody has it, or what is written there is no process. */
function holderIn(path: string): ProcessIdentity | undefined {
  try {
    const found: Partial<ProcessIdentity> | null = JSON.parse(readFileSync(path, 'utf8'))
    return typeof found?.pid === 'number' && found.startTicks && found.bootId
      ? (found as ProcessIdentity) // its members were looked at
      : undefined
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || error instanceof SyntaxError) return undefined
    throw error
  }
}
