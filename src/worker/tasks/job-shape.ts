/** Whether a job is one of its kind, as far as those who do it rely on. What it says in detail is made by the same program. */
import type { TaskKind } from '../../bus/jobs.ts'
import { isObject, object, type Schema } from '../../schema/schema.ts'
import { parsed } from '../../schema/walk.ts'

const name = { type: 'string', minLength: 1 } as const
const some = { type: 'object' } as const
const seen = { 'x-fits': (one) => Array.isArray(one) && one.length === 2 && isObject(one[1]) } satisfies Schema
const open = object({
  run: object({ name, dagRunId: name }),
  runAttempt: { type: 'integer', minimum: 1 },
  plan: object({ steps: { type: 'array' }, handlers: some }),
  params: { type: 'array' }
})
/** A step; its attempt 0, before the first, checks the preconditions. */
const step = object({
  place: { anyOf: [{ type: 'string' }, { type: 'integer' }] },
  attempt: { type: 'integer', minimum: 0 },
  nodes: { type: 'array', items: seen }
})
const JOBS: Partial<Record<TaskKind, Schema>> = { open, conditions: some, close: some }

export const isJob = (what: TaskKind, text: string): boolean => parsed(JOBS[what] ?? step, text) !== undefined
