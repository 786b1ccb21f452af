/** Runs and names that commands look for. */
import type { RunRecord } from '../../../machines/vocabulary.ts'
import type { EngineClient } from '../../api/owner/engine-client.ts'

type Lists = Pick<EngineClient, 'runs' | 'definitions'>

/** However many there are. */
const ALL = Number.MAX_SAFE_INTEGER
/** Runs in which names are looked for. */
const RECENT = 1_000

/** Running root runs of a name, newest first. */
export const runningOf = (client: Pick<Lists, 'runs'>, name: string): Promise<RunRecord[]> =>
  client.runs({ name, status: ['running'] }, ALL)

/** Queued runs of a name, in the order in which they were queued. */
export const queuedOf = async (client: Pick<Lists, 'runs'>, name: string): Promise<RunRecord[]> =>
  (await client.runs({ name, status: ['queued'] }, ALL)).sort((a, b) => placeOf(a) - placeOf(b))

/** A server elsewhere tells the time alone. */
const placeOf = ({ order, queuedAt = 0 }: RunRecord) => order ?? queuedAt

/** DAG names that have runs or a definition, and names of definitions, for suggestions. */
export async function knownNames(client: Lists): Promise<string[]> {
  const [defined, runs] = await Promise.all([client.definitions(), client.runs({}, RECENT)])
  return [...new Set([...defined.flatMap(({ name, fileName }) => [name, fileName]), ...runs.map(({ name }) => name)])]
}
