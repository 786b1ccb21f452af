/** What a worker keeps of a run on its disk: its job, its working folder, its logs. Source: distribution 5. */
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { OpenJob } from '../../bus/jobs.ts'
import { flushFolder, makeLastingFolder } from '../../platform/flush-folder.ts'

export interface RunFolder {
  /** The working folder of the run, unless the definition names one. */
  work: string
  logs: string
  runLog: string
  /** Nodes that a call of this run refers to. */
  seen: string
}

export interface RunFolders {
  /** Runs that are open. */
  found(): [id: string, job: OpenJob][]
  of(id: string): RunFolder
  /** Resolves when it is on the disk: the run is open from then on, also after a restart. @throws Error of the file system */
  keep(id: string, job: OpenJob): Promise<void>
  /** Removes what a closed run does not need; logs are read from it still. */
  clear(id: string): Promise<void>
  /** Everything, of each placement of a run. */
  remove(run: string): Promise<void>
  /** Everything of all others. @throws Error of the file system */
  removeOthers(ids: ReadonlySet<string>): void
}

const JOB = 'open.json'
const RUN = /^[0-9a-f]{32}-\d+$/

/** @param unreadable told of a run whose job is damaged: it is not open */
export function runFolders(folder: string, unreadable: (path: string) => void): RunFolders {
  makeLastingFolder(folder, 0o700)
  const names = () => readdirSync(folder).filter((name) => RUN.test(name))
  const of = (id: string): RunFolder => {
    const own = join(folder, id)
    const logs = join(own, 'logs')
    return { work: join(own, 'work'), logs, runLog: join(logs, 'run.log'), seen: join(own, 'seen.json') }
  }
  return {
    of,
    found: () =>
      names().flatMap((id): [string, OpenJob][] => {
        const path = join(folder, id, JOB)
        if (!existsSync(path)) return []
        try {
          return [[id, JSON.parse(readFileSync(path, 'utf8'))]]
        } catch {
          unreadable(path)
          return []
        }
      }),
    async keep(id, job) {
      const own = join(folder, id)
      await mkdir(own, { recursive: true, mode: 0o700 })
      const path = join(own, JOB)
      const file = await open(`${path}.new`, 'w', 0o600)
      try {
        await file.writeFile(JSON.stringify(job))
        await file.sync()
      } finally {
        await file.close()
      }
      await rename(`${path}.new`, path)
      for (const above of [own, folder]) await flushFolder(above)
    },
    async clear(id) {
      const { work, seen } = of(id)
      for (const path of [join(folder, id, JOB), work, seen]) await rm(path, { recursive: true, force: true })
    },
    async remove(run) {
      for (const id of names())
        if (id.startsWith(`${run}-`)) await rm(join(folder, id), { recursive: true, force: true })
    },
    removeOthers(ids) {
      for (const id of names()) if (!ids.has(id)) rmSync(join(folder, id), { recursive: true, force: true })
    }
  }
}
