/** The levels of the format by name. Source: definition-format "DAG-level fields", "Step fields"; execution-semantics 1.6, 1.9. */
import { otel, ssh } from '../dag/connections.ts'
import { container, registryAuth } from '../dag/container.ts'
import { paramsSchema } from '../dag/declared-params.ts'
import { mailOn, mailTarget, smtp } from '../dag/mail.ts'
import { schedule } from '../dag/schedule.ts'
import { secret } from '../dag/secrets.ts'
import { each } from '../steps/each.ts'
import { functions } from '../steps/functions.ts'
import { parallel } from '../steps/parallel.ts'
import { condition, continueOn, retryPolicy } from '../steps/policies.ts'
import { repeatPolicy } from '../steps/repeat.ts'
import { dag, handlerOn, runConfig } from './fields-dag.ts'
import { executor } from './fields-executor.ts'
import { step } from './fields-step.ts'
import type { FieldRow, LevelTable } from './level.ts'

export const LEVELS = {
  dag,
  step,
  condition,
  container,
  handlerOn,
  mailOn,
  mailTarget,
  otel,
  paramsSchema,
  registryAuth,
  runConfig,
  schedule,
  secret,
  smtp,
  ssh,
  continueOn,
  each,
  functions,
  parallel,
  repeatPolicy,
  retryPolicy,
  executor
} satisfies Record<string, LevelTable>

export type Level = keyof typeof LEVELS

/** The field of a level that a key names, in any case; absent: unknown. */
export const knownField = (level: Level, key: string): FieldRow | undefined =>
  LEVELS[level].known.get(key.toLowerCase())

const ALIASES = new Map(
  Object.values<LevelTable>(LEVELS).flatMap(({ rows }) =>
    rows.flatMap(({ name, aliasOf }) => (aliasOf ? [[name.toLowerCase(), aliasOf.toLowerCase()] as const] : []))
  )
)

/** One name for a key below the top level, its aliases and its other spellings; for comparing keys only. */
export const sameName = (key: string): string => ALIASES.get(key.toLowerCase()) ?? key.toLowerCase()
