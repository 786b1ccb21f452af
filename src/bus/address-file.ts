/**
 * Where the coordinator of a home listens: written by the process that guards the server, read by the engine and by workers of the same
 * home. It names its writer, so that one that a killed process left behind is recognized. Source: distribution 8.
 */
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { codeOf } from '../errors.ts'
import { makeFolderAtOnce } from '../platform/make-folder.ts'
import { isAlive, type ProcessIdentity } from '../platform/process-identity.ts'
import { integer, isObject, object, optional, text } from './readers.ts'

export interface CoordinatorAddress {
  /** Of this start of it. */
  id: string
  /** Where it listens; workers on other machines use `advertise`. */
  host: string
  port: number
  advertise: string
  cluster: string
  /** Password of the engine; empty, of an earlier release: none is needed. */
  password: string
  /** Its own certificate, by which the engine knows it; empty: without TLS. */
  certFile: string
  startedAt: number
  /** Revision of the enrolled workers that it has taken up; absent: nobody was enrolled. */
  enrolment?: number
  guard: ProcessIdentity
}

const addressFile = (folder: string) => join(folder, 'coordinator.json')

const members = object({
  id: text(64),
  host: text(255),
  port: integer(1, 65_535),
  advertise: text(255),
  cluster: text(64),
  password: text(100, 0),
  certFile: text(4_096, 0),
  startedAt: integer(0, Number.MAX_SAFE_INTEGER),
  enrolment: optional(integer(1, Number.MAX_SAFE_INTEGER)),
  guard: object({ pid: integer(1, Number.MAX_SAFE_INTEGER), startTicks: text(40), bootId: text(64) })
})

/** The coordinator that is guarded now; undefined: there is none, or its file cannot be read. */
export function coordinatorIn(folder: string): CoordinatorAddress | undefined {
  try {
    const found: unknown = JSON.parse(readFileSync(addressFile(folder), 'utf8'))
    const address = isObject(found) ? members(found, 'address') : undefined
    return address && isAlive(address.guard) ? address : undefined
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
