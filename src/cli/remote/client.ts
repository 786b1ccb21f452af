/** Client of a server elsewhere, over its HTTP API: for the commands, the same as that of an engine of a home. */
import type { RunKey } from '../../../machines/vocabulary.ts'
import type { Start, StartedRun } from '../../api/contract/owner-operations.ts'
import type { Client } from '../../client/index.ts'
import type { Clock } from '../../clock.ts'
import { TroupeError } from '../../errors.ts'
import type { Remote } from '../context.ts'
import { stopped } from '../owner/acts.ts'
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
      const { file = '', fromRun: _none, noQueue, waitWhenFull: _here, unlimited, ...body } = request
      const singleton = noQueue && !unlimited ? { singleton: true } : {}
      const path = { fileName: fileNameOf(file) }
      const answer = await api.startDag({ path, body: { ...body, ...singleton, ...unlimitedIn({ unlimited }) } })
      const name = body.dagName ?? (await nameOf(api, file))
      return started({ name, dagRunId: answer.dagRunId }, answer.warnings)
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
    async enqueue({ file, ...body }) {
      const { dagRunId } = await api.enqueueDag({ path: { fileName: fileNameOf(file) }, body })
      return { name: body.dagName ?? (await nameOf(api, file)), dagRunId }
    },
    follow: (key, listen, { after, say } = {}) =>
      toItsEndThere({ api, clock, signal: closing.signal }, key, hearing(listen, after), say),
    // The logs of a tree are read another way: `logs.ts`.
    watchTree: () => Promise.reject(new TroupeError('bad_request', 'the events of a tree are not in the API')),
    async stop(name, dagRunId, { force = false } = {}) {
      const running = dagRunId === undefined ? await runningOf(api, name) : [{ name, dagRunId }]
      return (
        await Promise.all(running.map(({ name, dagRunId }) => stopped(api, { name, dagRunId }, { force })))
      ).flat()
    },
    async stalled() {
      const answer = await fetch(`${remote.baseUrl}/health/ready`, { signal: closing.signal })
      const { reason }: { reason?: unknown } = Object(await answer.json())
      return reason === 'storage'
    },
    nameIn: (fileName) => nameOf(api, fileName),
    unneeded: async () => {},
    close: async () => closing.abort()
  }

  /** A run like another one, as a reschedule: the server takes it when no run of the name is active, or without limits. */
  async function startedAgain(
    { name, dagRunId }: RunKey,
    { dagRunId: newId, dagName, unlimited }: Start
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

/** The DAG name of a definition. @throws TroupeError not_found */
const nameOf = async (api: Client, fileName: string): Promise<string> =>
  (await api.getDag({ path: { fileName: fileNameOf(fileName) } })).dag.name

const unlimitedIn = ({ unlimited }: { unlimited?: boolean | undefined }) =>
  unlimited ? { disableMaxActiveRuns: true } : {}
