/**
 * Where the coordinator of a home listens: written by the process that guards the server, read by the engine and by workers of the same
 * home. It names its writer, so that one that a killed process left behind is recognized. Source: distribution 8.
 */
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { codeOf } from '../errors.ts'
import { makeFolderAtOnce } from '../platform/make-folder.ts'
import { isAlive } from '../platform/process-identity.ts'
import { between, line } from '../schema/limited.ts'
import { object, optional, type Shape } from '../schema/schema.ts'
import { reader } from './readers.ts'

const address = object({
  /** Id of this start of the coordinator. */
  id: line(64),
  /** Where the server listens; workers on other machines use `advertise`. */
  host: line(255),
  port: between(1, 65_535),
  advertise: line(255),
  cluster: line(64),
  /** Password of the engine; empty, of an earlier release: none is needed. */
  password: line(100, 0),
  /** The coordinator's own certificate, by which the engine knows it; empty: without TLS. */
  certFile: line(4_096, 0),
  startedAt: between(0, Number.MAX_SAFE_INTEGER),
  /** Revision of the enrolled workers that it has taken up; absent: nobody was enrolled. */
  enrolment: optional(between(1, Number.MAX_SAFE_INTEGER)),
  guard: object({ pid: between(1, Number.MAX_SAFE_INTEGER), startTicks: line(40), bootId: line(64) })
})
export type CoordinatorAddress = Shape<typeof address>
const addressIn = reader('address', address)

const addressFile = (folder: string) => join(folder, 'coordinator.json')

/** The coordinator that is guarded now; undefined: there is none, or its file cannot be read. */
export function coordinatorIn(folder: string): CoordinatorAddress | undefined {
  try {
    const found: unknown = JSON.parse(readFileSync(addressFile(folder), 'utf8'))
    const address = addressIn(found)
    return isAlive(address.guard) ? address : undefined
  } catch (error) {
    if (codeOf(error) === 'EACCES') throw error // somebody else's home
    return undefined
  }
}

/** Readable by its user only: it contains a password. */
export function keepAddress(folder: string, address: CoordinatorAddress): void {
  makeFolderAtOnce(folder, 0o700)
  const path = addressFile(folder)
  writeFileSync(`${path}.new`, `${JSON.stringify(address)}\n`, { mode: 0o600 })
  renameSync(`${path}.new`, path)
}

export const dropAddress = (folder: string): void => rmSync(addressFile(folder), { force: true })
