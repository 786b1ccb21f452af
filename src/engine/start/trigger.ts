// D1161: `trigger` belongs to the latest attempt
/** The trigger of a run, which is stored with it. Source: http-api "DAG run summary" (`trigger`). */
import type { RunKey, Stopper, Trigger } from '../../../machines/vocabulary.ts'
import type { Requested } from '../engine.ts'

/** @param again how an earlier run is repeated @param of that run, unless it is the same one */
export const triggerOf = ({ by, via, requestId }: Requested, again?: Trigger['again'], of?: RunKey): Trigger => ({
  type: via ?? 'host',
  ...(again === undefined ? {} : { again }),
  ...(by ? { by } : {}),
  ...(of === undefined ? {} : { of }),
  ...(requestId === undefined ? {} : { requestId })
})

export const stopperOf = ({ by, via, requestId }: Requested): Stopper => ({
  type: via ?? 'host',
  ...(by ? { by } : {}),
  ...(requestId === undefined ? {} : { requestId })
})
