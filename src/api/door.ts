/**
 * What the command line asks of the engine that owns a home. `doorOf` asks an engine in this process; `local.ts` lets other
 * processes of the same user ask it over a socket. Source: api-semantics 11.
 */
import { readFileSync } from 'node:fs'
import { basename, extname, isAbsolute } from 'node:path'
import type { RunKey } from '../../machines/vocabulary.ts'
import type { Engine, EngineEvent, RunView, StartRequest } from '../engine.ts'
import { TroupeError } from '../errors.ts'
import type { Problem } from '../spec/definition.ts'

export type Listen = (event: EngineEvent) => void

/** A start of the file with this absolute path. */
export type FileStart = Pick<StartRequest, 'params' | 'dagRunId' | 'dagName'> & { file: string }

export interface StartedRun {
  key: RunKey
  /** To be called once: `listen` gets all events of the run from its first on. Resolves with the run when it has ended. */
  follow(listen: Listen): Promise<RunView>
}

export interface Door {
  /** Folder in which the engine looks for definitions. */
  readonly dagsDir: string
  /** @throws TroupeError as `Engine.start` */
  start(request: FileStart): Promise<StartedRun>
  /** Resolves with the run when it has ended; `listen` gets the events from now on. @throws TroupeError not_found */
  watch(key: RunKey, listen: Listen): Promise<RunView>
  /** The run, or undefined; without an id, or with `latest`, the newest of the name. */
  run(name: string, dagRunId?: string): Promise<RunView | undefined>
  /** Asks one run, or all running runs of the name, to stop. Resolves with those that were running. @throws TroupeError not_found */
  stop(name: string, dagRunId?: string): Promise<RunKey[]>
  /** Reads a definition by absolute path; runs nothing. @throws TroupeError not_found */
  definition(file: string): Promise<{ name: string; problems: Problem[] }>
}

export const doorOf = (engine: Engine): Door => ({
  dagsDir: engine.config.dagsDir,
  start: (request) => startFollowed(engine, request),
  async watch(key, listen) {
    const end = engine.subscribe(listen, key)
    try {
      return await engine.result(key)
    } finally {
      end()
    }
  },
  run: async (name, dagRunId = 'latest') => engine.run({ name, dagRunId }),
  async stop(name, dagRunId) {
    const wanted = dagRunId === undefined ? engine.runs({ name, status: ['running'] }) : [{ name, dagRunId }]
    const stopped = await Promise.all(wanted.map(({ name, dagRunId }) => stopIfRunning(engine, { name, dagRunId })))
    return stopped.filter((key) => key !== undefined)
  },
  async definition(file) {
    const { name, problems } = engine.validate(textOf(file), basename(file, extname(file)))
    return { name, problems }
  }
})

/** Subscribes before it starts: the key is known only when the first events may already have been told. */
async function startFollowed(engine: Engine, request: FileStart): Promise<StartedRun> {
  checkPath(request.file)
  const early: EngineEvent[] = []
  let tell: Listen = (event) => void early.push(event)
  const end = engine.subscribe((event) => tell(event))
  try {
    const key = await engine.start({ ...request, evaluateParams: true })
    return {
      key,
      async follow(listen) {
        tell = (event) => {
          if (event.run?.name === key.name && event.run.dagRunId === key.dagRunId) listen(event)
        }
        for (const event of early.splice(0)) tell(event)
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
async function stopIfRunning(engine: Engine, key: RunKey): Promise<RunKey | undefined> {
  try {
    await engine.stop(key)
    return key
  } catch (error) {
    if (error instanceof TroupeError && error.code === 'not_running') return undefined
    throw error
  }
}

function textOf(file: string): string {
  checkPath(file)
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    throw new TroupeError('not_found', `the definition ${basename(file)} cannot be read`, { cause })
  }
}

/** The working directories of the two sides may differ. */
function checkPath(file: string): void {
  if (!isAbsolute(file))
    throw new TroupeError('bad_request', `file: wanted an absolute path, found ${JSON.stringify(file)}`)
}
