/** Definitions, runs and their differences for the command line: of an engine in this process, or as one request over the owner's socket. */
import type { RunKey, RunRecord } from '../../../machines/vocabulary.ts'
import type { Engine, RunFilter, RunView } from '../../engine/engine.ts'
import { type RunDiff, runDiff } from '../../engine/views/run-diff.ts'
import { TroupeError } from '../../errors.ts'
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

/** All methods throw TroupeError as the engine does. */
export interface OverviewClient {
  /** By file name. */
  definitions(): Promise<ListedDefinition[]>
  /** Newest first. @param limit at most 1,000 */
  runs(filter: RunFilter, limit: number): Promise<RunRecord[]>
  /** @throws TroupeError not_found */
  diff(before: RunKey, after: RunKey): Promise<RunDiff>
}

export function overviewClientOf(engine: Engine): OverviewClient {
  const nextRun = nextRunsOf(engine)
  const known = (key: RunKey): RunView => {
    const view = engine.run(key)
    if (view) return view
    throw new TroupeError('not_found', `there is no run ${key.dagRunId} of ${key.name}`)
  }
  return {
    async definitions() {
      await engine.definitionsReady()
      const turn = turns()
      const found: ListedDefinition[] = []
      for (const { fileName, definition, suspended } of engine.definitions()) {
        const { name, problems, outline } = definition
        const next = nextRun({ definition, suspended })
        const latest = engine.latest(name)
        const { tags } = outline
        found.push({
          ...{ fileName, name, suspended, problems: problems.length, tags },
          ...(next === undefined ? {} : { nextRun: next }),
          ...(latest ? { latest } : {})
        })
        await turn()
      }
      return found
    },
    async runs(filter, limit) {
      const found: RunRecord[] = []
      for (let cursor: string | undefined; ; ) {
        const part = await runsAfter(engine, filter, limit - found.length, cursor)
        for (const run of part.page) found.push(run)
        if (part.nextCursor === null || found.length >= limit) return found
        cursor = part.nextCursor
      }
    },
    async diff(before, after) {
      return runDiff(engine, known(before), known(after), turns())
    }
  }
}

/** What is sent over the socket: the other side is the same program. */
export type OverviewQuestion =
  | { ask: 'definitions' }
  | { ask: 'runs'; filter: RunFilter; limit: number }
  | { ask: 'diff'; before: RunKey; after: RunKey }

export function answerOverview(question: OverviewQuestion, client: OverviewClient): Promise<unknown> {
  if (question.ask === 'definitions') return client.definitions()
  if (question.ask === 'runs') return client.runs(question.filter, question.limit)
  if (question.ask === 'diff') return client.diff(question.before, question.after)
  throw new TroupeError('bad_request', 'ask: wanted definitions, runs or diff')
}
