/** Runs and names that commands look for. */
import { RUN_STATUSES } from '../../../machines/vocabulary/lists.ts'
import type { RunKey } from '../../../machines/vocabulary.ts'
import type { Client, DagListItem, RunDetails, RunSummary } from '../../client/index.ts'
import type { RunFilter } from '../../engine/engine.ts'
import { TroupeError } from '../../errors.ts'
import { instant } from '../view/text.ts'

/** The word that stands for the id of the newest run of a name, as in the API. */
export const LATEST = 'latest'
/** However many there are. */
const ALL = Number.MAX_SAFE_INTEGER
/** Runs in which names are looked for. */
const RECENT = 1_000
/** Runs or definitions of one answer. */
const MOST = 1_000

/** The run, or undefined; without an id the newest of the name. */
export async function runOf(
  api: Client,
  { name, dagRunId = LATEST }: Pick<RunKey, 'name'> & Partial<RunKey>
): Promise<RunDetails | undefined> {
  try {
    return (await api.getRun({ path: { name, dagRunId } })).dagRun
  } catch (error) {
    if (isNoRun(error)) return undefined
    throw error
  }
}

/** No run has a name or an id that cannot be one. */
const isNoRun = (error: unknown): boolean =>
  error instanceof TroupeError &&
  (error.code === 'not_found' || (error.code === 'bad_request' && /^(path\.)?(name|dagRunId): /.test(error.message)))

/** Newest first. */
export async function runsOf(api: Client, filter: RunFilter, limit: number): Promise<RunSummary[]> {
  const found: RunSummary[] = []
  const { name } = filter
  for (let cursor: string | undefined; ; ) {
    const query = { ...queryOf(filter), limit: Math.min(limit - found.length, MOST), ...(cursor ? { cursor } : {}) }
    const part = await (name === undefined ? api.listRuns({ query }) : api.listRunsByName({ path: { name }, query }))
    for (const run of part.dagRuns) found.push(run)
    if (!part.nextCursor || found.length >= limit) return found
    cursor = part.nextCursor
  }
}

/** A filter as the API has it, whose times are in seconds. */
const queryOf = (filter: RunFilter) => ({
  ...(filter.status ? { status: filter.status.map(numberOf) } : {}),
  ...(filter.waitingFor ? { waitingFor: [...filter.waitingFor] } : {}),
  ...(filter.trigger ? { trigger: [...filter.trigger] } : {}),
  ...(filter.byContains === undefined ? {} : { by: filter.byContains }),
  ...(filter.paramContains === undefined ? {} : { params: filter.paramContains }),
  ...(filter.tags ? { tag: [...filter.tags] } : {}),
  ...(filter.idContains === undefined ? {} : { dagRunId: filter.idContains }),
  fromDate: Math.floor((filter.from ?? 0) / 1000), // without it the API may look at the newest only
  ...(filter.to === undefined ? {} : { toDate: Math.ceil(filter.to / 1000) })
})
const numberOf = (status: (typeof RUN_STATUSES)[number]) => RUN_STATUSES.indexOf(status) as 0 | 1 | 2 | 3 | 4 | 5 | 6

/** Running root runs of a name, newest first. */
export const runningOf = (api: Client, name: string): Promise<RunSummary[]> =>
  runsOf(api, { name, status: ['running'] }, ALL)

/** Queued runs of a name, in the order in which they were queued. */
export const queuedOf = async (api: Client, name: string): Promise<RunSummary[]> =>
  (await runsOf(api, { name, status: ['queued'] }, ALL))
    .reverse()
    .sort((a, b) => (instant(a.queuedAt) ?? 0) - (instant(b.queuedAt) ?? 0))

/** Stored definitions, by file name. */
export async function definitionsOf(api: Client): Promise<DagListItem[]> {
  const found: DagListItem[] = []
  for (let page: number | null = 1; page !== null; ) {
    const { dags, pagination }: Awaited<ReturnType<Client['listDags']>> = await api.listDags({
      query: { page, perPage: MOST, sort: 'name', order: 'asc' }
    })
    for (const dag of dags) found.push(dag)
    page = pagination.nextPage
  }
  return found.sort((a, b) => (a.fileName < b.fileName ? -1 : 1))
}

/** DAG names that have runs or a definition, and names of definitions, for suggestions. */
export async function knownNames(api: Client): Promise<string[]> {
  const [defined, runs] = await Promise.all([definitionsOf(api), runsOf(api, {}, RECENT)])
  return [
    ...new Set([...defined.flatMap(({ dag, fileName }) => [dag.name, fileName]), ...runs.map(({ name }) => name)])
  ]
}
