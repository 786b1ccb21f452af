/** The texts that a definition has had, each with the latest runs that had it. An addition: docs/http-api.md "Versions of a definition". */
import { RUN_STATUSES } from '../../../machines/vocabulary/lists.ts'
import type { Awaits, RunRecord } from '../../../machines/vocabulary.ts'
import { revisionOf } from '../../definition/text/revision.ts'
import type { DefinitionVersion, Engine } from '../../engine/engine.ts'
import { TroupeError } from '../../errors.ts'
import type { Shape } from '../../schema/schema.ts'
import { anyone } from '../auth/principal.ts'
import type { DefinitionVersion as Answered } from '../contract/versions/operations.ts'
import { turns } from '../turns.ts'
import { statusShape } from './shapes.ts'
import type { TimeText } from './time-text.ts'
import { awaitedShape } from './wait-shapes.ts'

/** Number of the DAG's runs whose text is looked at. */
export const LATEST_RUNS = 200
/** Runs that are shown of each version. */
const MOST_RUNS = 10

export interface ListedVersion extends Omit<DefinitionVersion, 'spec'> {
  /** Size of the text, in bytes. */
  size: number
  /** The definition has this text. */
  isCurrent: boolean
  /** Number of the runs that were looked at. */
  runCount: number
  /** The newest of them. */
  runs: (Pick<RunRecord, 'dagRunId' | 'status' | 'createdAt'> & { awaited: Awaits | undefined })[]
}

/** Newest first. @param runs those whose text is looked at, newest first @throws TroupeError not_found */
export async function listedVersions(
  engine: Pick<Engine, 'definition' | 'versions' | 'runSpec' | 'awaitedBy'>,
  fileName: string,
  runs: readonly RunRecord[]
): Promise<ListedVersion[]> {
  const current = revisionOf(engine.definition(fileName).spec)
  const byRevision = await runsByText(engine, runs)
  return engine.versions(fileName).map(({ spec, by, ...version }, index) => {
    const having = byRevision.get(version.revision) ?? []
    return {
      ...version,
      ...(by === undefined || by === anyone.name ? {} : { by }),
      size: Buffer.byteLength(spec),
      // A text that was restored is there twice.
      isCurrent: index === 0 && version.revision === current,
      runCount: having.length,
      runs: having.slice(0, MOST_RUNS).map((run) => {
        const { dagRunId, status, createdAt } = run
        return { dagRunId, status, createdAt, awaited: engine.awaitedBy(run) }
      })
    }
  })
}

/** A version as the API has it. */
export const versionShape = ({ at, runs, ...version }: ListedVersion, time: TimeText): Shape<typeof Answered> => ({
  ...version,
  at: time(at),
  atMs: at,
  runs: runs.map(({ dagRunId, status, createdAt, awaited }) => ({
    dagRunId,
    ...statusShape(RUN_STATUSES, status),
    ...awaitedShape(awaited, time),
    createdAt: time(createdAt),
    createdAtMs: createdAt
  }))
})

/** Newest first, by the revision of the text that they were started with. */
async function runsByText(
  engine: Pick<Engine, 'runSpec'>,
  runs: readonly RunRecord[]
): Promise<Map<string, RunRecord[]>> {
  const revisions = new Map<string, string>()
  const found = new Map<string, RunRecord[]>()
  const turn = turns()
  for (const run of runs) {
    const revision = revisions.get(run.plan) ?? revisionOfRun(engine, run)
    if (revision === undefined) continue
    revisions.set(run.plan, revision)
    found.set(revision, [...(found.get(revision) ?? []), run])
    await turn()
  }
  return found
}

/** Undefined: its text cannot be read. */
function revisionOfRun(engine: Pick<Engine, 'runSpec'>, run: RunRecord): string | undefined {
  try {
    const spec = engine.runSpec(run)
    return spec === undefined ? undefined : revisionOf(spec)
  } catch (error) {
    if (error instanceof TroupeError) return undefined
    throw error
  }
}
