/** What commands ask of an engine to do: of the owner of a home by the path of a file, of a server elsewhere by the name of a definition. */
import type { RunKey } from '../../../machines/vocabulary.ts'
import type { Enqueue, OWNER_OPERATIONS, Start, StartedRun } from '../../api/contract/owner-operations.ts'
import type { Client } from '../../client/index.ts'
import type { CallTo } from '../../client/types.ts'
import { messageOf, TroupeError } from '../../errors.ts'

/** The operations that only the owner of a home has. */
export type OwnersApi = { [K in keyof typeof OWNER_OPERATIONS]: CallTo<(typeof OWNER_OPERATIONS)[K]> }

export interface Acts {
  start(request: Start): Promise<StartedRun>
  retry(key: RunKey, options: { stepName?: string; unlimited?: boolean }): Promise<StartedRun>
  enqueue(request: Enqueue): Promise<RunKey>
  /** Asks one run, or all running runs of the name, to stop. Resolves with those that were running. @throws TroupeError not_found */
  stop(name: string, dagRunId?: string, options?: { force?: boolean }): Promise<RunKey[]>
  /** Whether nothing can be stored at the moment. */
  stalled(): Promise<boolean>
  /** The DAG name in a definition, which is read and not run. @throws TroupeError not_found */
  nameIn(file: string): Promise<string>
}

export const ownersActs = (api: Client, owner: OwnersApi): Acts => ({
  start: (body) => owner.startDag({ body }),
  retry: ({ name, dagRunId }, body) => ofRun({ name, dagRunId }, (path) => owner.retryRun({ path, body })),
  enqueue: (body) => owner.enqueueDag({ body }),
  async stop(name, dagRunId, body = {}) {
    if (dagRunId !== undefined) return ofRun({ name, dagRunId }, (key) => stopped(api, key, body))
    const { stopped: ids } = await owner.stopAllRuns({ path: { name }, body })
    return ids.map((dagRunId) => ({ name, dagRunId }))
  },
  stalled: async () => (await owner.isStalled()).stalled,
  nameIn: async (file) => (await owner.validateFile({ body: { file } })).name
})

/** The key of the run, if it was running. */
export async function stopped(api: Client, key: RunKey, body: { force?: boolean }): Promise<RunKey[]> {
  try {
    await api.stopRun({ path: { name: key.name, dagRunId: key.dagRunId }, body })
    return [key]
  } catch (error) {
    if (error instanceof TroupeError && error.code === 'not_running') return []
    throw error
  }
}

interface PathOfRun {
  [parameter: string]: string
  name: string
  dagRunId: string
}

/** No run has an id that cannot be one. */
async function ofRun<T>(key: PathOfRun, ask: (path: PathOfRun) => Promise<T>): Promise<T> {
  try {
    return await ask(key)
  } catch (cause) {
    if (!/^(path\.)?dagRunId: /.test(messageOf(cause))) throw cause
    throw new TroupeError('not_found', `there is no run ${key.dagRunId} of ${key.name}`, { cause })
  }
}
