/** What commands ask of an engine to do beside what the API has: the same operations in all places. */
import type { RunKey } from '../../../machines/vocabulary.ts'
import type { OWNER_OPERATIONS } from '../../api/contract/owner-operations.ts'
import type { Client } from '../../client/index.ts'
import type { CallTo } from '../../client/types.ts'
import { TroupeError } from '../../errors.ts'

/** The operations that only the owner of a home has. */
export type OwnersApi = { [K in keyof typeof OWNER_OPERATIONS]: CallTo<(typeof OWNER_OPERATIONS)[K]> }

/** Operations that commands need in all places: a server elsewhere takes the name of a definition as the file. */
export type Acts = Omit<OwnersApi, 'streamTree' | 'enterChange'> & Pick<Client, 'stopRun'>

/** Asks one run, or all running runs of the name, to stop. Resolves with those that were running. @throws TroupeError not_found */
export async function stopped(
  { acts }: { acts: Acts },
  name: string,
  dagRunId?: string,
  body: { force?: boolean | null } = {}
): Promise<RunKey[]> {
  if (dagRunId === undefined) {
    const { stopped: ids } = await acts.stopAllRuns({ path: { name }, body })
    return ids.map((dagRunId) => ({ name, dagRunId }))
  }
  try {
    await acts.stopRun({ path: { name, dagRunId }, body })
    return [{ name, dagRunId }]
  } catch (error) {
    if (error instanceof TroupeError && error.code === 'not_running') return []
    throw error
  }
}
