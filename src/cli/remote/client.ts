/** Client of a server elsewhere, over its HTTP API: for the commands, the same as that of an engine of a home. */
import type { RunKey } from '../../../machines/vocabulary.ts'
import type { ClientStart, StartedRun } from '../../api/owner/engine-client.ts'
import type { Client } from '../../client/index.ts'
import type { Clock } from '../../clock.ts'
import { TroupeError } from '../../errors.ts'
import type { Remote } from '../context.ts'
import { hearing, toItsEndThere } from '../owner/held-run.ts'
import { runningOf, runOf } from '../owner/known-runs.ts'
import type { OpenClient } from '../owner/opened.ts'
import { apiOf, fileNameOf } from './api.ts'

/** Nothing is sent before something is asked. */
export function openRemote(remote: Remote, clock: Clock): OpenClient {
  const api = apiOf(remote)
  const closing = new AbortController()
  return {
    home: remote.url,
    dagsDir: '',
    holdsQueues: false,
    apiPath: '',
    here: false,
    isElsewhere: true,
    api,
    async start(request) {
      if (request.fromRun) return startedAgain(request.fromRun, request)
      const { params, dagRunId, dagName, file = '' } = request
      const body = { ...(params ? { params } : {}), ...(dagRunId ? { dagRunId } : {}), ...(dagName ? { dagName } : {}) }
      const singleton = request.noQueue && !request.unlimited ? { singleton: true } : {}
      const answer = await api.startDag({
        path: { fileName: fileNameOf(file) },
        body: { ...body, ...singleton, ...unlimitedIn(request) }
      })
      const { name } = await definition(api, file)
      return started({ name: dagName ?? name, dagRunId: answer.dagRunId }, answer.warnings)
    },
    async retry(key, { stepName, unlimited }) {
      const { name, dagRunId } = key
      const path = { name, dagRunId }
      const { latest } = await api.getJournal({ path, query: { limit: 1 } })
      await api.retryRun({
        path,
        body: { ...(stepName === undefined ? {} : { stepName }), ...unlimitedIn({ unlimited }) }
      })
      return started(path, undefined, latest)
    },
    async enqueue(request) {
      const { params, dagRunId, dagName, queue, file = '' } = request
      const answer = await api.enqueueDag({
        path: { fileName: fileNameOf(file) },
        body: {
          ...(params ? { params } : {}),
          ...(dagRunId ? { dagRunId } : {}),
          ...(dagName ? { dagName } : {}),
          ...(queue ? { queue } : {})
        }
      })
      return { name: dagName ?? (await definition(api, file)).name, dagRunId: answer.dagRunId }
    },
    follow: (key, listen, { after, say } = {}) =>
      toItsEndThere({ api, clock, signal: closing.signal }, key, hearing(listen, after), say),
    // The logs of a tree are read another way: `logs.ts`.
    watchTree: () => Promise.reject(new TroupeError('bad_request', 'the events of a tree are not in the API')),
    async stop(name, dagRunId, options) {
      const running = dagRunId === undefined ? await runningOf(api, name) : [{ name, dagRunId }]
      const stopped = await Promise.all(
        running.map(async (key): Promise<RunKey | undefined> => {
          const path = { name: key.name, dagRunId: key.dagRunId }
          try {
            await api.stopRun({ path, body: { force: options?.force ?? false } })
            return path
          } catch (error) {
            if (error instanceof TroupeError && error.code === 'not_running') return undefined
            throw error
          }
        })
      )
      return stopped.filter((key) => key !== undefined)
    },
    async stalled() {
      const answer = await fetch(`${remote.baseUrl}/health/ready`, { signal: closing.signal })
      const { reason }: { reason?: unknown } = Object(await answer.json())
      return reason === 'storage'
    },
    definition: async (file) => ({ ...(await definition(api, file)), problems: [] }),
    unneeded: async () => {},
    close: async () => closing.abort()
  }

  /** A run like another one, as a reschedule: the server takes it when no run of the name is active, or without limits. */
  async function startedAgain(
    { name, dagRunId }: RunKey,
    { dagRunId: newId, dagName, unlimited }: ClientStart
  ): Promise<StartedRun> {
    const names = { ...(newId ? { dagRunId: newId } : {}), ...(dagName ? { dagName } : {}) }
    const body = { ...names, ...unlimitedIn({ unlimited }) }
    const answer = await api.rescheduleRun({ path: { name, dagRunId }, body })
    return started({ name: dagName ?? name, dagRunId: answer.dagRunId })
  }

  async function started(key: RunKey, warnings?: string[], after = 0): Promise<StartedRun> {
    const queued = (await runOf(api, key))?.statusLabel === 'queued'
    return { key, queued, after, ...(warnings ? { warnings } : {}) }
  }
}

/** The definition of a name, with the name of its runs. @throws TroupeError not_found */
const definition = async (api: Client, file: string): Promise<{ name: string }> => ({
  name: (await api.getDag({ path: { fileName: fileNameOf(file) } })).dag.name
})

const unlimitedIn = ({ unlimited }: { unlimited?: boolean | undefined }) =>
  unlimited ? { disableMaxActiveRuns: true } : {}
