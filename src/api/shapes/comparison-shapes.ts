/** What is different between two runs, as JSON. Source: http-api "Runs" (diff). */
import { NODE_STATUSES, RUN_STATUSES } from '../../../machines/vocabulary/lists.ts'
import type { ComparedEvent } from '../../engine/views/first-difference.ts'
import type { RunDiff, StepTime } from '../../engine/views/run-diff.ts'
import type { PastRun } from '../../engine/views/step-statistics.ts'
import type { Shape } from '../../schema/schema.ts'
import type * as contract from '../contract/comparisons.ts'
import { statusShape } from './shapes.ts'
import type { TimeText } from './time-text.ts'

export const diffShape = ({ steps, event, ...rest }: RunDiff, time: TimeText): Shape<typeof contract.RunDiff> => ({
  ...rest,
  steps: steps.map(({ name, ...sides }) => ({ name, ...eachSide(sides, stepShape) })),
  ...(event ? { event: eachSide(event, (one) => ({ ...one, at: time(one.at), atMs: one.at }) as const) } : {})
})

/** One run of the statistics. */
export const pastShape = ({ status, createdAt, steps, ...run }: PastRun, time: TimeText) => ({
  ...run,
  ...statusShape(RUN_STATUSES, status),
  createdAt: time(createdAt),
  createdAtMs: createdAt,
  steps: steps.map((step) => step && stepShape(step))
})

const stepShape = ({ status, ms }: StepTime) => ({
  ...statusShape(NODE_STATUSES, status),
  ...(ms === undefined ? {} : { ms })
})

const eachSide = <T extends StepTime | ComparedEvent, S>(
  { before, after }: { before?: T; after?: T },
  shape: (side: T) => S
): { before?: S; after?: S } => ({
  ...(before ? { before: shape(before) } : {}),
  ...(after ? { after: shape(after) } : {})
})
