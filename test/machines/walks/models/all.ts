/** The models of all charts. */
import type { Walk } from '../../../support/charts/model.ts'
import { callModel } from './call.ts'
import { deliveryModel } from './delivery.ts'
import { engineModels } from './engine.ts'
import { nodeModels } from './node.ts'
import { queueModel } from './queue.ts'
import { runModels } from './run.ts'
import { schedulerModel } from './scheduler.ts'
import { workerModel } from './worker.ts'

/** By chart and number: the names in the record of ways. */
export const MODELS: Record<string, Walk> = Object.fromEntries(
  Object.entries({
    node: nodeModels().map(({ walk }) => walk),
    run: runModels().map(({ walk }) => walk),
    call: [callModel(true), callModel(false), callModel(true, true)],
    queue: [queueModel(), queueModel(1), queueModel(undefined, 1)],
    scheduler: [schedulerModel()],
    engine: engineModels(),
    worker: [workerModel()],
    delivery: [deliveryModel()]
  }).flatMap(([chart, models]) => models.map((model, index) => [`${chart} ${index + 1}`, model]))
)
/** Their record, a golden: ways on which each transition is taken. */
export const WAYS = 'models/ways.json'
