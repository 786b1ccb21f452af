/** Client of a server elsewhere, over its HTTP API: for the commands, the same as that of an engine of a home. */
import type { RunKey, RunRecord } from '../../../machines/vocabulary.ts'
import type { Start, StartedRun } from '../../api/contract/owner-operations.ts'
import type { Client, RunSummary } from '../../client/index.ts'
import type { Clock } from '../../clock.ts'
import type { QueueView, RunFilter } from '../../engine/engine.ts'
import { TroupeError } from '../../errors.ts'
import type { Remote } from '../context.ts'
import { stopped } from '../owner/acts.ts'
import { runningOf } from '../owner/known-runs.ts'
import type { OpenClient } from '../owner/opened.ts'
import { instant } from '../view/text.ts'
import { apiOf, fileNameOf } from './api.ts'
import { followed } from './followed.ts'
import { numberOf, recordOf, viewOf } from './views.ts'

/** Definitions in one answer. */
const MOST = 1_000

/** Nothing is sent before something is asked. */
export function openRemote(remote: Remote, clock: Clock): OpenClient {
  const api = apiOf(remote)
  const closing = new AbortController()
  const run = (name: string, dagRunId = 'latest') =>
    orNone(api.getRun({ path: { name, dagRunId } }).then(({ dagRun }) => viewOf(dagRun)))
  return {
    home: remote.url,
    dagsDir: '',
    holdsQueues: false,
    apiPath: '',
    here: false,
    isElsewhere: true,
    api,
    async definitions() {
      const { dags } = await api.listDags({ query: { perPage: MOST } })
      return dags.map(({ fileName, dag, latestDAGRun, suspended, errors }) => {
        const nextRun = instant(dag.nextRun)
        return {
          fileName,
          name: dag.name,
          suspended,
          problems: errors.length,
          tags: dag.tags,
          ...(nextRun === undefined ? {} : { nextRun }),
          ...(latestDAGRun?.dagRunId ? { latest: recordOf(latestDAGRun) } : {}) // absent: it has never run
        }
      })
    },
    runs,
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
    queues: () => queuesOf(api),
    watch: (key, listen, { after, say } = {}) =>
      followed(api, key, listen, { after, clock, signal: closing.signal, url: remote.url, say }),
    // The logs of a tree are read another way: `logs.ts`.
    watchTree: () => Promise.reject(new TroupeError('bad_request', 'the events of a tree are not in the API')),
    run,
    async stop(name, dagRunId, { force = false } = {}) {
      const running = dagRunId === undefined ? await runningOf({ runs }, name) : [{ name, dagRunId }]
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

  async function runs(filter: RunFilter, limit: number): Promise<RunRecord[]> {
    const found: RunSummary[] = []
    for (let cursor: string | undefined; ; ) {
      const query = { ...queryOf(filter), limit: limit - found.length, ...(cursor ? { cursor } : {}) }
      const part = await (filter.name === undefined
        ? api.listRuns({ query })
        : api.listRunsByName({ path: { name: filter.name }, query }))
      for (const run of part.dagRuns) found.push(run)
      if (!part.nextCursor || found.length >= limit) return found.map(recordOf)
      cursor = part.nextCursor
    }
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
    const queued = (await run(key.name, key.dagRunId))?.run.status === 'queued'
    return { key, queued, after, ...(warnings ? { warnings } : {}) }
  }
}

async function queuesOf(api: Client): Promise<QueueView[]> {
  const { queues } = await api.listQueues()
  return queues.map(({ name, maxConcurrency, runningDAGRuns, queuedDAGRuns }) => ({
    name,
    running: runningDAGRuns.map(recordOf),
    queued: queuedDAGRuns.map(recordOf),
    ...(maxConcurrency === undefined ? {} : { maxConcurrency }),
    capacity: maxConcurrency ?? 0
  }))
}

const queryOf = (filter: RunFilter) => ({
  ...(filter.status ? { status: filter.status.map(numberOf) } : {}),
  ...(filter.trigger ? { trigger: [...filter.trigger] } : {}),
  ...(filter.byContains === undefined ? {} : { by: filter.byContains }),
  ...(filter.paramContains === undefined ? {} : { params: filter.paramContains }),
  ...(filter.tags ? { tag: [...filter.tags] } : {}),
  ...(filter.idContains === undefined ? {} : { dagRunId: filter.idContains }),
  ...(filter.from === undefined ? {} : { fromDate: Math.floor(filter.from / 1000) }),
  ...(filter.to === undefined ? {} : { toDate: Math.ceil(filter.to / 1000) })
})

/** The DAG name of a definition. @throws TroupeError not_found */
const nameOf = async (api: Client, fileName: string): Promise<string> =>
  (await api.getDag({ path: { fileName: fileNameOf(fileName) } })).dag.name

const unlimitedIn = ({ unlimited }: { unlimited?: boolean | undefined }) =>
  unlimited ? { disableMaxActiveRuns: true } : {}

async function orNone<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked
  } catch (error) {
    if (error instanceof TroupeError && error.code === 'not_found') return undefined
    throw error
  }
}
