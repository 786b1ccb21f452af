/**
 * The command line's client of the engine that owns a home. `engineClientOf` calls an engine in this process; `local.ts` serves the
 * same to other processes of the user over a socket. Source: api-semantics 11.
 */
import { basename, extname, isAbsolute } from 'node:path'
import type { RunKey, RunRecord } from '../../../machines/vocabulary.ts'
import type { Problem } from '../../definition/definition.ts'
import type {
  Engine,
  EngineEvent,
  NewEntry,
  QueueView,
  RetryRequest,
  RunFilter,
  RunView,
  StartRequest,
  StopRequest
} from '../../engine/engine.ts'
import { codeOf, messageOf, TroupeError } from '../../errors.ts'
import { readRegular } from '../../platform/open-regular.ts'
import { userName } from '../../platform/user-name.ts'
import { type ListenTree, watchTree } from '../tree-events.ts'
import { type ListedDefinition, listedDefinitions, listedRuns } from './overview.ts'

export type Listen = (event: EngineEvent) => void

/** A start of the file with this absolute path, or of an earlier run's definition and params. */
export type ClientStart = Pick<
  StartRequest,
  'file' | 'fromRun' | 'params' | 'dagRunId' | 'dagName' | 'queue' | 'noQueue' | 'waitWhenFull' | 'unlimited'
>

export interface FollowedRun {
  key: RunKey
  queued: false
  /** Call it once: `listen` gets all events of the run from its first on. Resolves with the run when it has ended. */
  follow(listen: Listen): Promise<RunView>
}
/** A run that was started, or that is waiting in its queue. */
export type StartedRun = (FollowedRun | { key: RunKey; queued: true }) & {
  /** What the user may not have meant. */
  warnings?: string[]
}

/** What a command has done, as far as `NewEntry` does not follow from that. */
export type OwnersEntry = Pick<NewEntry, 'operation' | 'target' | 'before' | 'after'>

export interface EngineClient {
  /** Absolute path. */
  readonly home: string
  /** Folder in which the engine looks for definitions. */
  readonly dagsDir: string
  /** Queued runs are left to another engine. */
  readonly holdsQueues: boolean
  /** Address of the web page, if the process with the engine serves it. */
  readonly page?: string
  /** Path at which the engine's API begins. */
  readonly apiPath: string
  /** Stored definitions, by file name. */
  definitions(): Promise<ListedDefinition[]>
  /** Newest first. @param limit at most 1,000 */
  runs(filter: RunFilter, limit: number): Promise<RunRecord[]>
  /** @throws TroupeError as `Engine.start` */
  start(request: ClientStart): Promise<StartedRun>
  /** @throws TroupeError as `Engine.retry` */
  retry(key: RunKey, options: RetryRequest): Promise<StartedRun>
  /** @throws TroupeError as `Engine.enqueue` */
  enqueue(request: ClientStart): Promise<RunKey>
  /** All queues with their runs, as `Engine.queues`. */
  queues(): Promise<QueueView[]>
  /**
   * Resolves with the run when it has ended; `listen` gets the events from now on.
   * @param say told once when the engine is gone and waited for @throws TroupeError not_found
   */
  watch(key: RunKey, listen: Listen, say?: (text: string) => void): Promise<RunView>
  /**
   * The same for a root run and all sub DAG runs below it.
   * @param joined called when no event is missed from then on; again when another engine has taken over
   */
  watchTree(key: RunKey, listen: ListenTree, joined: () => void): Promise<RunView>
  /** The run, or undefined; without an id, or with `latest`, the newest of the name. */
  run(name: string, dagRunId?: string): Promise<RunView | undefined>
  /** Asks one run, or all running runs of the name, to stop. Resolves with those that were running. @throws TroupeError not_found */
  stop(name: string, dagRunId?: string, options?: StopRequest): Promise<RunKey[]>
  /** Enters into the audit log what a command has done to the home without an engine. Absent: none is kept. */
  enter?(entry: OwnersEntry): Promise<void>
  /** Whether nothing can be stored at the moment. */
  stalled(): Promise<boolean>
  /** Reads a definition by absolute path; runs nothing. @throws TroupeError not_found */
  definition(file: string): Promise<{ name: string; problems: Problem[] }>
}

export const engineClientOf = (engine: Engine): EngineClient => ({
  home: engine.home,
  dagsDir: engine.config.dagsDir,
  holdsQueues: engine.holdsQueues,
  apiPath: engine.config.basePath + engine.config.apiBasePath,
  definitions: () => listedDefinitions(engine),
  runs: (filter, limit) => listedRuns(engine, filter, limit),
  start: (request) => followed(engine, () => engine.start(evaluated(request))),
  retry: (key, options) => followed(engine, () => engine.retry(key, { ...options, ...requested() })),
  enqueue: async (request) => engine.enqueue(evaluated(request)),
  queues: () => engine.readQueues(),
  async watch(key, listen) {
    const end = engine.subscribe(listen, key)
    try {
      return await engine.result(key)
    } finally {
      end()
    }
  },
  watchTree: (key, listen, joined) => watchTree(engine, key, listen, joined),
  run: async (name, dagRunId = 'latest') => engine.run({ name, dagRunId }),
  async stop(name, dagRunId, options) {
    const wanted = dagRunId === undefined ? engine.runs({ name, status: ['running'] }) : [{ name, dagRunId }]
    const stopped = await Promise.all(
      wanted.map(({ name, dagRunId }) => stopIfRunning(engine, { name, dagRunId }, { ...options, ...requested() }))
    )
    return stopped.filter((key) => key !== undefined)
  },
  stalled: async () => (await engine.health()).unready?.reason === 'storage',
  async definition(file) {
    const { name, problems } = await engine.validate(textOf(file), basename(file, extname(file)))
    return { name, problems }
  }
})

/** Only the user of this process, or one that the same files belong to, gets here. */
const requested = () => ({ via: 'cli', by: userName() }) as const

/** A user of the command line may run commands anyway, so params are evaluated. @throws TroupeError bad_request */
function evaluated(request: ClientStart): StartRequest {
  if (request.fromRun) return { ...request, ...requested() }
  checkPath(request.file ?? '')
  return { ...request, ...requested(), evaluateParams: true }
}

/** Subscribes before the start: the first events may come before the key is known. */
async function followed(engine: Engine, begin: () => Promise<RunKey>): Promise<StartedRun> {
  const early: EngineEvent[] = []
  let deliver: Listen = (event) => void early.push(event)
  const end = engine.subscribe((event) => deliver(event))
  try {
    const key = await begin()
    const { status, warnings } = engine.record(key) ?? {}
    const noted = warnings ? { warnings } : {}
    if (status === 'queued') {
      end()
      return { key, queued: true, ...noted }
    }
    return {
      ...noted,
      key,
      queued: false,
      async follow(listen) {
        deliver = (event) => {
          if (event.run?.name === key.name && event.run.dagRunId === key.dagRunId) listen(event)
        }
        for (const event of early.splice(0)) deliver(event)
        try {
          return await engine.result(key)
        } finally {
          end()
        }
      }
    }
  } catch (error) {
    end()
    throw error
  }
}

/** Undefined: it was not running, or no longer. */
async function stopIfRunning(engine: Engine, key: RunKey, options?: StopRequest): Promise<RunKey | undefined> {
  try {
    await engine.stop(key, options)
    return key
  } catch (error) {
    if (error instanceof TroupeError && error.code === 'not_running') return undefined
    throw error
  }
}

function textOf(file: string): string {
  checkPath(file)
  try {
    return readRegular(file).toString()
  } catch (cause) {
    const reason = codeOf(cause) ?? messageOf(cause)
    throw new TroupeError('not_found', `the definition ${basename(file)} cannot be read: ${reason}`, { cause })
  }
}

/** The working directories of the two sides may differ. */
function checkPath(file: string): void {
  if (!isAbsolute(file))
    throw new TroupeError('bad_request', `file: wanted an absolute path, found ${JSON.stringify(file)}`)
}
