/** Definitions, runs and their differences for the command line: of an engine in this process, or as one request over the owner's socket. */
import type { RunKey, RunRecord } from '../../../machines/vocabulary.ts'
import type { Engine, RunFilter, RunView } from '../../engine/engine.ts'
import { type RunDiff, runDiff } from '../../engine/views/run-diff.ts'
import { TroupeError } from '../../errors.ts'
import { runsAfter } from '../input/pages.ts'
import { nextRunsOf } from '../shapes/next-runs.ts'
import type { ListedVersion } from '../shapes/version-shape.ts'
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
  /** The texts that a definition has had, newest first. @throws TroupeError not_found */
  versions(fileName: string): Promise<ListedVersion[]>
  /** One of these texts. @param revision absent: the text that the definition has @throws TroupeError not_found */
  text(fileName: string, revision?: string): Promise<string>
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
    },
    async versions(fileName) {
      const { LATEST_RUNS, listedVersions } = await import('../shapes/version-shape.ts')
      const { name } = engine.definition(fileName).definition
      return listedVersions(engine, fileName, engine.runs({ name, limit: LATEST_RUNS }))
    },
    async text(fileName, revision) {
      const { spec } = engine.definition(fileName)
      if (revision === undefined) return spec
      const found = engine.versions(fileName).find((version) => version.revision === revision)
      if (found) return found.spec
      throw new TroupeError('not_found', `${fileName} has no version ${revision}`)
    }
  }
}

/** What is sent over the socket: the other side is the same program. */
export type OverviewQuestion =
  | { ask: 'definitions' }
  | { ask: 'runs'; filter: RunFilter; limit: number }
  | { ask: 'diff'; before: RunKey; after: RunKey }
  | { ask: 'versions'; fileName: string }
  | { ask: 'text'; fileName: string; revision?: string | undefined }

export function answerOverview(question: OverviewQuestion, client: OverviewClient): Promise<unknown> {
  if (question.ask === 'definitions') return client.definitions()
  if (question.ask === 'runs') return client.runs(question.filter, question.limit)
  if (question.ask === 'diff') return client.diff(question.before, question.after)
  if (question.ask === 'versions') return client.versions(question.fileName)
  if (question.ask === 'text') return client.text(question.fileName, question.revision)
  throw new TroupeError('bad_request', 'ask: wanted definitions, runs, diff, versions or text')
}
