/** Makes folders that a definition names, and those of logs. Node's own recursive `mkdir` never returns below `/proc`. */
import { mkdirSync, type Stats, stat, statSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Looks that are about to be taken, by path. */
const asked = new Map<string, Promise<Stats | undefined>>()

/**
 * What is at a path; undefined: nothing, or it cannot be looked at. As a promise of Node's own it costs four times as much. Those who ask
 * before it is taken share it: runs that begin together look for the same files, and each look wakes another thread.
 */
export function lookAt(path: string): Promise<Stats | undefined> {
  const known = asked.get(path)
  if (known) return known
  const look = new Promise<Stats | undefined>((resolve) =>
    process.nextTick(() => {
      asked.delete(path)
      stat(path, (error, found) => resolve(error ? undefined : found))
    })
  )
  asked.set(path, look)
  return look
}

/** Makes the folder and those above it, mode 0755; one that is there is left as it is. @throws Error */
export async function makeFolder(path: string): Promise<void> {
  if (await lookAt(path)) return // most are there, and a refusal is dear
  try {
    await mkdir(path, { mode: 0o755 })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') return
    const above = dirname(path)
    if (code !== 'ENOENT' || above === path) throw error
    await makeFolder(above)
    await mkdir(path, { mode: 0o755 }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error // made by somebody else meanwhile
    })
  }
}

/**
 * Makes a folder for logs and those above it, mode 0750; one that is there is left as it is. At once: to ask Node's threads for it
 * costs several times as much, and each run of a `parallel` step has a folder of its own. @throws Error
 */
export function makeLogFolder(path: string): void {
  try {
    mkdirSync(path, { mode: 0o750 })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST' && statSync(path).isDirectory()) return
    const above = dirname(path)
    if (code !== 'ENOENT' || above === path) throw error
    makeLogFolder(above)
    mkdirSync(path, { mode: 0o750 })
  }
}
