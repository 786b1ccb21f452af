/** Executors that a DAG of code names and this package does not have: the engine that gets the DAG checks them. */
import type { CustomType } from '../definition/fields/custom-types.ts'
import { executorType } from '../definition/fields/executor-types.ts'
import type { SaidStep } from './said.ts'

export function foreignTypes(steps: readonly SaidStep[]): Map<string, CustomType> {
  const types = new Map<string, CustomType>()
  for (const { construct, what } of steps) {
    if (construct !== 'yaml') continue
    const { executor }: { executor?: unknown } = Object(what)
    const type: unknown = typeof executor === 'string' ? executor : Object(executor).type
    if (typeof type === 'string' && !executorType(type)) types.set(type, {})
  }
  return types
}
