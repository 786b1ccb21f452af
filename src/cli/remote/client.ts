/** Client of a server elsewhere, over its HTTP API: for the commands, the same as that of an engine of a home. */
import type { RunKey } from '../../../machines/vocabulary.ts'
import type { StartedRun } from '../../api/contract/owner-operations.ts'
import type { Clock } from '../../clock.ts'
import { TroupeError } from '../../errors.ts'
import type { Remote } from '../context.ts'
import { type Acts, stopped } from '../owner/acts.ts'
import { hearing, toItsEndThere } from '../owner/held-run.ts'
import { runningOf, runOf } from '../owner/known-runs.ts'
import type { OpenClient } from '../owner/opened.ts'
import { apiOf, fileNameOf } from './api.ts'

// D1663: the operations of an owner, by the API of a server elsewhere
/** Nothing is sent before something is asked. */
export function openRemote(remote: Remote, clock: Clock): OpenClient {
  const api = apiOf(remote)
  const closing = new AbortController()
  const { signal } = closing
  const nameOf = async (fileName: string) => (await api.getDag({ path: { fileName } })).dag.name
  async function started({ name, dagRunId }: RunKey, warnings?: string[], after = 0): Promise<StartedRun> {
    const key = { name, dagRunId }
    const queued = (await runOf(api, key))?.statusLabel === 'queued'
    return { key, queued, after, ...(warnings ? { warnings } : {}) }
  }

  const acts: Acts = {
    async startDag({ body: { file, fromRun, noQueue, unlimited, waitWhenFull: _always, ...body } = {} } = {}) {
      const past = unlimited ? { disableMaxActiveRuns: true } : {}
      if (fromRun) {
        // As a reschedule, the server takes it when no run of the name is active, or without limits.
        const { idempotencyKey, at, priority, ...rest } = body
        if ((idempotencyKey ?? at ?? priority) !== undefined)
          throw new TroupeError(
            'bad_request',
            'start: a server takes no --at, --priority or --idempotency-key beside --from-run-id'
          )
        const { name, dagRunId } = fromRun
        const answer = await api.rescheduleRun({ path: { name, dagRunId }, body: { ...rest, ...past } })
        return started({ name: body.dagName ?? name, dagRunId: answer.dagRunId })
      }
      const fileName = fileNameOf(file ?? '')
      const singleton = noQueue && !unlimited ? { singleton: true } : {}
      const answer = await api.startDag({ path: { fileName }, body: { ...body, ...singleton, ...past } })
      const name = body.dagName ?? (await nameOf(fileName))
      return started({ name, dagRunId: answer.dagRunId }, answer.warnings)
    },
    async retryRun({ path, body: { unlimited, ...step } = {} }) {
      const { latest } = await api.getJournal({ path, query: { limit: 1 } })
      await api.retryRun({ path, body: { ...step, ...(unlimited ? { disableMaxActiveRuns: true } : {}) } })
      return started(path, undefined, latest)
    },
    async enqueueDag({ body: { file, ...body } }) {
      const fileName = fileNameOf(file)
      const { dagRunId } = await api.enqueueDag({ path: { fileName }, body })
      return { name: body.dagName ?? (await nameOf(fileName)), dagRunId }
    },
    stopRun: api.stopRun,
    async stopAllRuns({ path: { name }, body }) {
      const asked = (await runningOf(api, name)).map((run) => stopped({ acts }, name, run.dagRunId, body))
      return { stopped: (await Promise.all(asked)).flat().map(({ dagRunId }) => dagRunId) }
    },
    validateFile: async ({ body: { file } }) => ({ name: await nameOf(fileNameOf(file)), problems: [] }),
    async isStalled() {
      const answer = await fetch(`${remote.baseUrl}/health/ready`, { signal })
      const { reason }: { reason?: unknown } = Object(await answer.json())
      return { stalled: reason === 'storage' }
    }
  }
  return {
    home: remote.url,
    dagsDir: '',
    holdsQueues: false,
    apiPath: '',
    here: false,
    isElsewhere: true,
    api,
    acts,
    follow: (key, listen, { after, say } = {}) =>
      toItsEndThere({ api, clock, signal }, key, hearing(listen, after), say),
    // The logs of a tree are read another way: `logs.ts`.
    watchTree: () => Promise.reject(new TroupeError('bad_request', 'the events of a tree are not in the API')),
    unneeded: async () => {},
    close: async () => closing.abort()
  }
}
