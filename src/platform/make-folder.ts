/** Creates folders at paths from users, and those of logs. Node's own recursive `mkdir` never returns below `/proc`. */
import { accessSync, constants, mkdirSync, type Stats, stat, statSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { systemClock } from '../clock.ts'
import { codeOf, messageOf } from '../errors.ts'

/** Pending checks, by path. */
const asked = new Map<string, Promise<Stats | undefined>>()

/** When a thread last had an answer about a path; monotonic ms. */
const answered = new Map<string, number>()
/** A file system that has answered this recently will answer again. */
const LATELY_MS = 1_000
const MOST_ANSWERED = 1_000

/**
 * What is at a path; undefined: nothing, or it cannot be read. A hanging file system must not block the engine, so the check runs in
 * a thread, which costs twenty times as much as a synchronous one; that is used where a thread had an answer a moment ago. Callers
 * share a pending check.
 */
export function lookAt(path: string): Promise<Stats | undefined> {
  const known = asked.get(path)
  if (known) return known
  const look = new Promise<Stats | undefined>((resolve) =>
    process.nextTick(() => {
      asked.delete(path)
      const since = systemClock.elapsed() - (answered.get(path) ?? Number.NEGATIVE_INFINITY)
      if (since < LATELY_MS) resolve(lookAtOnce(path))
      else stat(path, (error, found) => resolve(noted(path, error ? undefined : found)))
    })
  )
  asked.set(path, look)
  return look
}

function noted(path: string, found: Stats | undefined): Stats | undefined {
  if (answered.size >= MOST_ANSWERED) answered.clear()
  answered.set(path, systemClock.elapsed())
  return found
}

function lookAtOnce(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

/** What an error of the file system means for the author of the path. */
const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EDQUOT: 'no space is left for this user',
  EFBIG: 'a file may not become that large',
  EISDIR: 'it is a folder',
  ELOOP: 'links in its path lead in a circle',
  ENAMETOOLONG: 'a name in it is too long',
  ENOENT: 'the file system has no place for it',
  ENOSPC: 'no space is left',
  ENOTDIR: 'a part of its path is no folder',
  ENXIO: 'that pipe has no reader',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only'
}
export const reasonOf = (error: unknown): string => REASONS[codeOf(error) ?? ''] ?? messageOf(error)

/** Creates the folder and its parents; an existing one is unchanged. @throws Error that begins with the path */
export async function makeFolder(path: string, mode = 0o755): Promise<void> {
  const found = await lookAt(path)
  if (found?.isDirectory()) return // most exist, and an exception is expensive
  if (found) throw noFolder(path)
  try {
    await makeMissing(path, mode)
  } catch (cause) {
    if (codeOf(cause) === 'EEXIST') throw noFolder(path)
    throw new Error(`${path} cannot be made: ${reasonOf(cause)}`, { cause })
  }
}

/** Makes a folder that can be entered: in another conditions would not hold, and steps fail with an error of their shell. @throws Error */
export async function makeWorkingFolder(path: string): Promise<void> {
  await makeFolder(path)
  try {
    accessSync(path, constants.X_OK)
  } catch (cause) {
    throw new Error(`${path} cannot be entered: ${reasonOf(cause)}`, { cause })
  }
}

const noFolder = (path: string) => new Error(`${path} is no folder`)

async function makeMissing(path: string, mode: number): Promise<void> {
  try {
    await mkdir(path, { mode })
  } catch (error) {
    const above = missingAbove(path, error)
    if (above === undefined) return
    await makeMissing(above, mode)
    await mkdir(path, { mode }).catch((error) => {
      if (codeOf(error) !== 'EEXIST') throw error // created by another process meanwhile
    })
  }
}

/** Makes a folder synchronously: Node's threads cost several times as much. @throws Error of the system */
export function makeFolderAtOnce(path: string, mode: number): void {
  try {
    mkdirSync(path, { mode })
  } catch (error) {
    const above = missingAbove(path, error)
    if (above === undefined) return
    makeFolderAtOnce(above, mode)
    try {
      mkdirSync(path, { mode })
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error
    }
  }
}

/** Undefined: the folder exists. @throws the error when creating a parent would not help */
function missingAbove(path: string, error: unknown): string | undefined {
  const code = codeOf(error)
  if (code === 'EEXIST' && statSync(path, { throwIfNoEntry: false })?.isDirectory()) return undefined
  const above = dirname(path)
  if (code !== 'ENOENT' || above === path) throw error
  return above
}

/** The clause on what is in the way of a folder because it is no folder; undefined: another cause. */
export function inTheWayOf(path: string, error: unknown): string | undefined {
  const { code, path: refused }: NodeJS.ErrnoException = Object(error)
  if (code === 'EEXIST') return refused
  if (code !== 'ENOTDIR') return undefined
  let place = path
  while (!lookAtOnce(place) && dirname(place) !== place) place = dirname(place)
  return place
}

/** For logs: mode 0750. Each run of a `parallel` step has its own folder. @throws Error */
export const makeLogFolder = (path: string): void => makeFolderAtOnce(path, 0o750)
