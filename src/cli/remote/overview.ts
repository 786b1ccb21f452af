/** Definitions, runs and their differences of a server elsewhere. */
import type { NodeStatus, RunStatus } from '../../../machines/vocabulary.ts'
import type { OverviewClient } from '../../api/owner/overview-client.ts'
import type { Client, RunSummary } from '../../client/index.ts'
import type { RunFilter } from '../../engine/engine.ts'
import { instant, numberOf, recordOf } from './views.ts'

const MOST = 1_000

export const remoteOverview = (api: Client): OverviewClient => ({
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
        ...(latestDAGRun.dagRunId === '' ? {} : { latest: recordOf(latestDAGRun) })
      }
    })
  },
  async runs(filter, limit) {
    const found: RunSummary[] = []
    for (let cursor: string | undefined; ; ) {
      const query = { ...queryOf(filter), limit: limit - found.length, ...(cursor ? { cursor } : {}) }
      const part = await (filter.name === undefined
        ? api.listRuns({ query })
        : api.listRunsByName({ path: { name: filter.name }, query }))
      found.push(...part.dagRuns)
      if (!part.nextCursor || found.length >= limit) return found.map(recordOf)
      cursor = part.nextCursor
    }
  },
  async diff(before, after) {
    const { steps, event, ...rest } = await api.compareRuns({ path: after, query: { with: before.dagRunId } })
    const side = (time: (typeof steps)[number]['before']) =>
      time && { status: time.statusLabel as NodeStatus, ...(time.ms === undefined ? {} : { ms: time.ms }) }
    const seen = (one: NonNullable<typeof event>['before']) => one && { ...one, at: one.atMs }
    return {
      ...rest,
      steps: steps.map(({ name, before, after }) => ({
        name,
        ...(before ? { before: side(before) } : {}),
        ...(after ? { after: side(after) } : {})
      })),
      ...(event
        ? {
            event: {
              ...(event.before ? { before: seen(event.before) } : {}),
              ...(event.after ? { after: seen(event.after) } : {})
            }
          }
        : {})
    } as Awaited<ReturnType<OverviewClient['diff']>> // as the engine that made it
  },
  async versions(fileName) {
    const { versions } = await api.listVersions({ path: { fileName } })
    return versions.map(({ at: _, atMs, runs, ...version }) => ({
      ...version,
      at: atMs,
      runs: runs.map(({ dagRunId, statusLabel, createdAtMs }) => ({
        dagRunId,
        status: statusLabel as RunStatus,
        createdAt: createdAtMs
      }))
    }))
  },
  text: async (fileName, revision) =>
    revision === undefined
      ? (await api.getDagSpec({ path: { fileName } })).spec
      : (await api.getVersion({ path: { fileName, revision } })).spec
})

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
