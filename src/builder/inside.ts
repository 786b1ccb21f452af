/** What a DAG of code is made of, hidden from its host: an engine looks it up by the object that `defineDag` has returned. */
import type { StandardSchemaV1 as Std } from '@standard-schema/spec'
import type { Plan } from '../../machines/vocabulary.ts'
import { guarded, memberOf } from '../errors.ts'
import type { Body } from './said.ts'

export interface Inside {
  name: string
  text: string
  /** The plan as the text alone says it: over no base file, of no folder. */
  plan: Plan
  version: string
  planHash: string
  params?: Std
  signals: ReadonlyMap<string, Std>
  bodies: readonly Body[]
  /** Functions of `defineFunction`, by the step that uses one. */
  uses: ReadonlyMap<string, object>
}

const insides = new WeakMap<object, Inside>()
/** Every copy of the package marks its DAGs with it. */
const MARK = Symbol.for('troupe.dag')

export const insideOf = (dag: unknown): Inside | undefined => insides.get(Object(dag))

/** @param dag not frozen yet */
export function hide(dag: object, inside: Inside): void {
  Object.defineProperty(dag, MARK, { value: true })
  insides.set(dag, inside)
}

/** The refusal of an object that is a DAG of another copy of the package; undefined: it is not. */
export function isFromElsewhere(dag: unknown): string | undefined {
  if (memberOf(dag, MARK) !== true || insideOf(dag)) return undefined
  return `DAG ${JSON.stringify(guarded(() => String(memberOf(dag, 'name')), ''))} of another copy of the package "troupe" in this program: import both from one (npm ls troupe shows the copies; ESM and CommonJS count as two)`
}
