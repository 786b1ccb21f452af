/** An operation of version 1 of the API, in which one path does many things, as the current one that does the same. */
import { ACTION_NEEDS } from '../v1/actions.ts'
import type { Operation } from './state.ts'

type Asked = Readonly<Record<string, unknown>>

const ACTIONS: Readonly<Record<keyof typeof ACTION_NEEDS, string>> = {
  start: 'startDag',
  suspend: 'suspendDag',
  stop: 'stopRun',
  retry: 'retryRun',
  'mark-success': 'setStepStatus',
  'mark-failed': 'setStepStatus',
  save: 'replaceDagSpec',
  rename: 'renameDag'
}
const OTHERS: Readonly<Partial<Record<string, string>>> = {
  'POST /dags': 'createDag',
  'DELETE /dags/{fileName}': 'deleteDag'
}
/** What `value` is called by the current operation. */
const VALUES: Readonly<Partial<Record<string, string>>> = {
  createDag: 'name',
  replaceDagSpec: 'spec',
  renameDag: 'newFileName'
}

const isAction = (word: unknown): word is keyof typeof ACTIONS =>
  typeof word === 'string' && Object.hasOwn(ACTIONS, word)

/** The operation in the current version; those of that version are as they were. */
export function currentOf(operation: Operation, asked: Asked): { operation: Operation; asked: Asked } {
  const { action, value, ...rest } = asked
  const isChoice = operation.id === 'POST /dags/{fileName}'
  const id = isChoice && isAction(action) ? ACTIONS[action] : OTHERS[operation.id]
  if (id === undefined) return { operation, asked }
  const needs = isChoice && isAction(action) ? [ACTION_NEEDS[action]] : operation.needs
  const named = value === undefined ? {} : { [VALUES[id] ?? 'value']: value }
  return { operation: { ...operation, id, needs }, asked: { ...rest, ...named } }
}
