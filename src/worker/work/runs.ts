/**
 * The runs that are open on a worker. Each is evaluated here, in the worker's own environment, and again after a restart, as an engine
 * does with its runs. Source: distribution 5, D11.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import type { Plan, RunKey } from '../../../machines/vocabulary.ts'
import type { OpenRun } from '../../actors/root/open-run.ts'
import type { StepServices } from '../../actors/root/step-services.ts'
import type { RunLogs } from '../../actors/run/run-log.ts'
import type { RunScope } from '../../actors/run/run-scope.ts'
import { scopeMaker } from '../../actors/run/scope-maker.ts'
import { type Inherited, inheritedFrom } from '../../actors/sub-runs/inherited.ts'
import type { OpenJob, StepJob } from '../../bus/jobs.ts'
import { lookAt, makeWorkingFolder } from '../../platform/make-folder.ts'
import type { RunFolder, RunFolders } from './kept-run.ts'
import { nodesHere } from './seen-nodes.ts'

export interface Runs {
  has(id: string): boolean
  /** Whether the run is open, or is being opened. */
  hasKey(key: RunKey): boolean
  /** Whether a run needs no slot of its own: one that it is called from has one here. */
  isBelow(job: Pick<OpenJob, 'caller' | 'slot'>): boolean
  all(): { run: string; lease: number }[]
  /** How many slots are taken. */
  taken(): number
  /** Evaluates its variables and makes its folders. It is open once `keep` is done. @throws Error why it cannot begin */
  make(id: string, job: OpenJob, logs: RunLogs, signal: AbortSignal): Promise<RunScope>
  /** The run is not opened after all. */
  unmake(id: string): void
  keep(id: string, job: OpenJob): Promise<void>
  job(id: string): OpenJob | undefined
  /** Path of the run log. */
  logOf(id: string): string
  /** @throws Error for a run that is not open, or that cannot be evaluated again */
  scope(id: string): Promise<RunScope>
  /** Notes what a call refers to, for the sub runs that inherit from it. */
  note(id: string, nodes: StepJob['nodes']): Promise<void>
  close(id: string): Promise<void>
  /** Removes it, in each of its placements. */
  forget(run: string): Promise<void>
}

interface Open {
  job: OpenJob
  scope?: Promise<RunScope>
}

export interface RunsParts {
  services: Omit<StepServices, 'scope'>
  folders: RunFolders
  /** What people know the worker by. */
  worker: string
}

const NOTHING: Inherited = { values: {}, data: new Set() }
const never = new AbortController().signal
const nameOf = ({ name, dagRunId }: RunKey) => `${name}/${dagRunId}`

export function openRuns({ services, folders, worker }: RunsParts): Runs {
  const open = new Map<string, Open>()
  /** The latest of each key. */
  const ids = new Map<string, string>()
  /** Evaluated, and not open yet. */
  const made = new Map<string, RunScope>()
  const put = (id: string, one: Open) => {
    open.set(id, one)
    ids.set(nameOf(one.job.run), id)
  }
  for (const [id, job] of folders.found()) put(id, { job })
  const parentOf = ({ caller }: Pick<OpenJob, 'caller'>) => caller && ids.get(nameOf(caller.parent))

  const isBelow = (job: Pick<OpenJob, 'caller' | 'slot'>) => job.slot === 'shared' || parentOf(job) !== undefined

  /** A caller that is open here passes on what it has, as in an engine; of another one the job says it. */
  async function inherited(job: OpenJob): Promise<Inherited> {
    const parent = parentOf(job)
    if (parent === undefined) return job.inherited ? { ...job.inherited, data: new Set(job.inherited.data) } : NOTHING
    const scope = await scopeOf(parent)
    return inheritedFrom({ ...services, scope: () => scope }, scope, job.caller, never)
  }

  // D998: a run on a worker has a folder for each placement, and none of the engine's
  /** Folders of the engine's machine mean nothing here. One file's workflows work in the folder of their caller. */
  async function planHere(job: OpenJob): Promise<Plan> {
    const { home, sourceDir: _, otel: _otel, ...plan } = job.plan
    const parent = home === undefined ? undefined : parentOf(job)
    return parent === undefined ? plan : { ...plan, home: (await scopeOf(parent)).workingDir }
  }

  async function make(id: string, job: OpenJob, logs: RunLogs, restored: boolean, signal?: AbortSignal) {
    const folder = folders.of(id)
    const { run, runAttempt, params, caller } = job
    const maker = scopeMaker({
      ...services,
      logs,
      nodesOf: () => [],
      inherited: () => inherited(job),
      folders: { own: () => folder.work, make: (dir) => haveFolder(dir, folder, worker) }
    })
    const record: OpenRun['record'] = {
      name: run.name,
      dagRunId: run.dagRunId,
      status: 'running',
      attempt: runAttempt,
      params,
      createdAt: services.clock.now(),
      log: folder.runLog,
      nodeLogs: folder.logs,
      plan: '',
      ...(caller ? { caller } : {})
    }
    const wanted: OpenRun = { record, plan: await planHere(job), spec: '', seq: 0, ended: new Map() }
    const scope = await maker(wanted, { ...(signal ? { signal } : {}), ...(restored ? { nodes: new Map() } : {}) })
    const { isPassed, ...place } = job.trace ?? {}
    if (job.trace) Object.assign(scope, isPassed ? { passed: place } : { traced: place })
    return { ...scope, fence: Number(id.slice(id.indexOf('-') + 1)) }
  }

  function scopeOf(id: string): Promise<RunScope> {
    const one = open.get(id)
    if (!one) return Promise.reject(new Error(`the run is not open on the worker ${worker} any more`))
    one.scope ??= make(id, one.job, services.logs, true).then((scope) => {
      for (const [place, node] of nodesHere(scope, seenBefore(folders.of(id)))) scope.nodes.set(place, node)
      return scope
    })
    one.scope.catch(() => delete one.scope) // the cause may be mended by the next time
    return one.scope
  }

  return {
    has: (id) => open.has(id),
    hasKey: (key) => ids.has(nameOf(key)) || [...made.values()].some((scope) => nameOf(scope.key) === nameOf(key)),
    isBelow,
    all: () => [...open.keys()].map((id) => ({ run: id.slice(0, 32), lease: Number(id.slice(33)) })),
    taken: () => [...open.values()].filter(({ job }) => !isBelow(job)).length,
    job: (id) => open.get(id)?.job,
    logOf: (id) => folders.of(id).runLog,
    async make(id, job, logs, signal) {
      const scope = await make(id, job, logs, false, signal)
      made.set(id, scope)
      return scope
    },
    unmake: (id) => void made.delete(id),
    async keep(id, job) {
      await folders.keep(id, job)
      const scope = made.get(id)
      made.delete(id)
      put(id, { job, ...(scope ? { scope: Promise.resolve(scope) } : {}) })
    },
    scope: scopeOf,
    async note(id, nodes) {
      const scope = await scopeOf(id)
      for (const [place, node] of nodesHere(scope, nodes)) scope.nodes.set(place, node)
      const all = new Map([...seenBefore(folders.of(id)), ...nodes])
      writeFileSync(folders.of(id).seen, JSON.stringify([...all]), { mode: 0o600 })
    },
    async close(id) {
      const one = open.get(id)
      open.delete(id)
      if (one && ids.get(nameOf(one.job.run)) === id) ids.delete(nameOf(one.job.run))
      await folders.clear(id)
    },
    async forget(run) {
      for (const [id, { job }] of [...open]) {
        if (!id.startsWith(`${run}-`)) continue
        open.delete(id)
        if (ids.get(nameOf(job.run)) === id) ids.delete(nameOf(job.run))
      }
      await folders.remove(run)
    }
  }
}

/** A working folder below the run's own is made; any other was promised to be there. */
async function haveFolder(dir: string, { work }: RunFolder, worker: string): Promise<void> {
  if (!relative(work, dir).startsWith('..')) return makeWorkingFolder(dir)
  const found = await lookAt(dir)
  if (!found?.isDirectory()) throw new Error(`${dir} is not there on the worker ${worker}`)
  return makeWorkingFolder(dir) // whether it can be entered
}

function seenBefore({ seen }: RunFolder): StepJob['nodes'] {
  try {
    return existsSync(seen) ? JSON.parse(readFileSync(seen, 'utf8')) : []
  } catch {
    return [] // a crash while it was written: the call is made anew
  }
}
