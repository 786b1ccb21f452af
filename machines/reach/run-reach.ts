/** What is known of a run before it begins: which events of the run chart can come, and how some guards decide. Source: docs/inspect.md "Charts". */
import type { Plan, Step } from '../vocabulary.ts'
import type { Known } from './reach.ts'

const maybe = (isPossible: boolean): false | undefined => (isPossible ? undefined : false)

/** The failure of the step may be continued, or its sub run may succeed only in part. */
const mayEndInPart = ({ call, continueOn: { failure, exitCodes, outputs } }: Step): boolean =>
  call !== undefined || failure || exitCodes.length > 0 || outputs.length > 0

/** @param isPlaced it has a worker, or had one */
export function knownOfRun(plan: Plan, isPlaced: boolean): Known {
  const { handlers, steps, mailOn, timeoutMs, delayMs, onWorkerLost, container, onDrift, release } = plan
  const all = [...steps, ...Object.values(handlers)]
  const concludesNothing = timeoutMs === 0 && Object.keys(handlers).length === 0
  return {
    hears(event) {
      if (/^(worker|placement)\./.test(event)) return isPlaced
      if (event === 'signal.given') return steps.some(({ wait }) => wait !== undefined)
      return event !== 'release.differs' || (onDrift === 'fail' && release !== undefined)
    },
    guards: {
      hasConditions: plan.preconditions.length > 0,
      hasDelay: delayMs > 0,
      metWithDelay: maybe(delayMs > 0),
      waitsForWorker: onWorkerLost === 'wait',
      mayMove: maybe(onWorkerLost === 'requeue'),
      allDone: maybe(concludesNothing),
      allResolved: maybe(!concludesNothing),
      hasOutcomeHandler: maybe(
        handlers.success !== undefined || handlers.failure !== undefined || handlers.cancel !== undefined
      ),
      hasExitHandler: maybe(handlers.exit !== undefined),
      holdsContainer: maybe(container !== undefined),
      mailDue: maybe(mailOn.failure || mailOn.success || all.some(({ mailOnError }) => mailOnError)),
      'endsAs partially_succeeded': maybe(all.some(mayEndInPart))
    }
  }
}
