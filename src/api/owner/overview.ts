/** Definitions and runs for the lists of the command line, with the instants to the millisecond that the API has in seconds. */
import type { RunRecord } from '../../../machines/vocabulary.ts'
import type { Engine, RunFilter } from '../../engine/engine.ts'
import { runsAfter } from '../input/pages.ts'
import { nextRunsOf } from '../shapes/next-runs.ts'
import { turns } from '../turns.ts'

/** A stored definition, as a list has it. */
export interface ListedDefinition {
  fileName: string
  /** DAG name. */
  name: string
  suspended: boolean
  /** Number of problems; more than 0: it cannot be started. */
  problems: number
  tags: readonly string[]
  /** Next start by its schedule, epoch ms; absent: none. */
  nextRun?: number
  /** Absent: it never ran. */
  latest?: RunRecord
}

/** By file name. */
export async function listedDefinitions(engine: Engine): Promise<ListedDefinition[]> {
  const nextRun = nextRunsOf(engine)
  await engine.definitionsReady()
  const turn = turns()
  const found: ListedDefinition[] = []
  for (const { fileName, definition, suspended } of engine.definitions()) {
    const { name, problems, outline } = definition
    const next = nextRun({ definition, suspended })
    const latest = engine.latest(name)
    const { tags } = outline
    found.push({
      fileName,
      name,
      suspended,
      problems: problems.length,
      tags,
      ...(next === undefined ? {} : { nextRun: next }),
      ...(latest ? { latest } : {})
    })
    await turn()
  }
  return found
}

/** Newest first. @param limit at most 1,000 */
export async function listedRuns(engine: Engine, filter: RunFilter, limit: number): Promise<RunRecord[]> {
  const found: RunRecord[] = []
  for (let cursor: string | undefined; ; ) {
    const part = await runsAfter(engine, filter, limit - found.length, cursor)
    for (const run of part.page) found.push(run)
    if (part.nextCursor === null || found.length >= limit) return found
    cursor = part.nextCursor
  }
}
