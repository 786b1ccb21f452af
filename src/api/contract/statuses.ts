/** Statuses of runs and nodes: the integer of a status is its index. Source: http-api "Run status", api-semantics V6, V7. */
import { NODE_STATUSES, RUN_STATUSES } from '../../../machines/vocabulary/lists.ts'
import type { Schema } from '../../schema/schema.ts'

/** Label of an unknown stored status. */
export const UNKNOWN_STATUS = 'unknown'

const legend = (labels: readonly string[]) => labels.map((label, status) => `${status} ${label}`).join(', ')

export const RunStatusNumber = {
  type: 'integer',
  description: legend(RUN_STATUSES),
  minimum: 0,
  maximum: RUN_STATUSES.length - 1
} as const satisfies Schema

export const RunStatusLabel = { type: 'string', enum: [...RUN_STATUSES, UNKNOWN_STATUS] } as const satisfies Schema

export const NodeStatusNumber = {
  type: 'integer',
  description: legend(NODE_STATUSES),
  minimum: 0,
  maximum: NODE_STATUSES.length - 1
} as const satisfies Schema

export const NodeStatusLabel = { type: 'string', enum: [...NODE_STATUSES, UNKNOWN_STATUS] } as const satisfies Schema

/** A status that can be set by hand: all but the last. */
export const SettableStatusNumber = {
  type: 'integer',
  description: legend(NODE_STATUSES.slice(0, -1)),
  minimum: 0,
  maximum: NODE_STATUSES.length - 2
} as const satisfies Schema
