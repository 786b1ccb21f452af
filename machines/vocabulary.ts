/** Types that all modules share: of definitions, runs, nodes, schedules and workers. No logic. Source: http-api "Resources". */

export type * from './vocabulary/cause.ts'
export type * from './vocabulary/connections.ts'
export type * from './vocabulary/node.ts'
export type * from './vocabulary/place.ts'
export type * from './vocabulary/plan.ts'
export type * from './vocabulary/policies.ts'
export type * from './vocabulary/run.ts'
export type * from './vocabulary/schedule.ts'
export type * from './vocabulary/step.ts'
export type * from './vocabulary/values.ts'
export type * from './vocabulary/worker.ts'
