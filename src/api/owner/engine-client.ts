/**
 * The command line's client of the engine that owns a home. `engineClientOf` calls an engine in this process; `local.ts` serves the
 * same to other processes of the user over a socket. Source: api-semantics 11.
 */
import { basename, extname, isAbsolute } from 'node:path'
import type { RunKey } from '../../../machines/vocabulary.ts'
import type { Problem } from '../../definition/definition.ts'
import type { Engine, NewEntry, RetryRequest, StartRequest, StopRequest } from '../../engine/engine.ts'
import { codeOf, messageOf, TroupeError } from '../../errors.ts'
import { readRegular } from '../../platform/open-regular.ts'
import { userName } from '../../platform/user-name.ts'
import { type ListenTree, watchTree } from '../tree-events.ts'

/** A start of the file with this absolute path, or of an earlier run's definition and params. */
export type ClientStart = Pick<
  StartRequest,
  'file' | 'fromRun' | 'params' | 'dagRunId' | 'dagName' | 'queue' | 'noQueue' | 'waitWhenFull' | 'unlimited'
>

/** A run that was started, or that is waiting in its queue. */
export interface StartedRun {
  key: RunKey
  queued: boolean
  /** Number of the last event that it had before; 0: none. */
  after: number
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
  /** @throws TroupeError as `Engine.start` */
  start(request: ClientStart): Promise<StartedRun>
  /** @throws TroupeError as `Engine.retry` */
  retry(key: RunKey, options: RetryRequest): Promise<StartedRun>
  /** @throws TroupeError as `Engine.enqueue` */
  enqueue(request: ClientStart): Promise<RunKey>
  /**
   * Resolves when a root run has ended; `listen` gets its events, and those of all sub DAG runs below it.
   * @param joined called when no event is missed from then on; again when another engine has taken over
   */
  watchTree(key: RunKey, listen: ListenTree, joined: () => void): Promise<unknown>
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
  start: async (request) => startedOf(engine, await engine.start(evaluated(request)), 0),
  async retry(key, options) {
    const after = engine.latestSeq(key)
    return startedOf(engine, await engine.retry(key, { ...options, ...requested() }), after)
  },
  enqueue: async (request) => engine.enqueue(evaluated(request)),
  watchTree: (key, listen, joined) => watchTree(engine, key, listen, joined),
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

function startedOf(engine: Engine, key: RunKey, after: number): StartedRun {
  const { status, warnings } = engine.record(key) ?? {}
  return { key, queued: status === 'queued', after, ...(warnings ? { warnings } : {}) }
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
