/** `/dag-runs/{name}/{dagRunId}/sub-dag-runs...`, earlier `children`. Source: http-api "Sub DAG runs", api-semantics 3.10, A1. */
import type Router from '@koa/router'
import type { Engine, RunView, SubRunView } from '../../engine/engine.ts'
import { TroupeError } from '../../errors.ts'
import { OPERATIONS } from '../contract/operations.ts'
import { readQuery } from '../input/query.ts'
import { runAnswer, timingShape } from '../shapes/shapes.ts'
import { shapeSteps } from '../shapes/step-shape.ts'
import { timeTextOf } from '../shapes/time-text.ts'

/** The name of this release, and that of an earlier one: rule A1. */
export const SUB_RUN_PATHS = ['sub-dag-runs', 'children'].map((word) => `/dag-runs/:name/:dagRunId/${word}`)

// D236: stop and retry of a sub DAG run are 404
export function subRunRoutes(router: Router, engine: Engine): void {
  const time = timeTextOf(engine.config)

  for (const path of SUB_RUN_PATHS) {
    router.get(path, (ctx) => {
      const { parentSubDAGRunId } = readQuery(ctx, OPERATIONS.listSubRuns.query)
      const view =
        parentSubDAGRunId === undefined ? rootOf(engine, ctx.params) : subRunOf(engine, ctx.params, parentSubDAGRunId)
      ctx.body = { subRuns: childrenOf(view).map((child) => timingShape(child, time)) }
    })
    router.get(`${path}/:subDAGRunId`, async (ctx) => {
      const view = subRunOf(engine, ctx.params, ctx.params.subDAGRunId ?? '')
      await shapeSteps(view.plan.steps)
      ctx.body = runAnswer(view, time)
    })
  }
}

type Names = Record<string, string>

/** The root run that a path names. @throws TroupeError not_found */
function rootOf(engine: Engine, { name = '', dagRunId = '' }: Names): RunView {
  const view = engine.run({ name, dagRunId })
  if (view && !view.run.caller) return view
  throw new TroupeError('not_found', `no run ${dagRunId} of ${name}`)
}

/** A sub DAG run, at any depth, of the root run that a path names. @throws TroupeError not_found */
export function subRunOf(engine: Engine, { name = '', dagRunId = '' }: Names, subRunId: string): RunView {
  const root = engine.record({ name, dagRunId })
  const view = root && !root.caller ? engine.subRun(root, subRunId) : undefined
  if (view) return view
  throw new TroupeError('not_found', `no sub DAG run ${subRunId} of run ${dagRunId} of ${name}`)
}

/** In step order, for each step those of its latest pass first; those that never began, or are gone, are left out. */
function childrenOf({ nodes, handlers }: RunView) {
  const { onSuccess, onFailure, onCancel, onExit } = handlers
  const all = [...nodes, onSuccess, onFailure, onCancel, onExit]
  const called = all.flatMap((view) => [...(view?.calls?.subRuns ?? []), ...(view?.calls?.subRunsRepeated ?? [])])
  return called.flatMap(({ record, ...ref }: SubRunView) => (record ? [{ ...ref, record }] : []))
}
