/** Why a step or a run waits whose worker is lost. Source: distribution 9; machines/node/node-attempting.ts. */
import type { GivenUp } from '../../../machines/vocabulary.ts'
import type { ActorState } from '../replay.ts'
import { firstLine, instant, lasting, type Said } from './situation.ts'

interface At {
  now: number
  actor: ActorState
  /** Name of the step, or the run. */
  name: string
}

/** What was heard after all of executions that had been given up. */
export function lateEnds({ memory }: ActorState, name: string): Said[] {
  const { givenUp = [] }: { givenUp?: GivenUp[] } = memory // as its chart has noted it
  return givenUp.flatMap(({ attempt, worker, late }) => {
    if (!late) return []
    const { exitCode, signal, error, endedAt } = late
    const how = signal
      ? ` by a signal (${signal})`
      : exitCode === undefined
        ? ''
        : `${exitCode === 0 ? ' well' : ` with code ${exitCode}`}${error ? `: ${firstLine(error)}` : ''}`
    return [
      {
        cause: 'late_end',
        waiting: false,
        text: `attempt ${attempt} of ${name}, which was given up when ${worker} was lost, has ended there${how}`,
        since: endedAt,
        blockedBy: [{ kind: 'worker', name: worker }],
        unblock: 'Nothing follows from it: what the run has decided without it stands.'
      }
    ]
  })
}

/** The loss that the chart has noted. */
function lossOf({ memory }: ActorState): { worker: string; fencedAt?: number | undefined } {
  const { worker = 'its worker', fencedAt }: { worker?: string; fencedAt?: unknown } = Object(memory.loss)
  return { worker, fencedAt: instant(fencedAt) }
}

/** `onWorkerLost: wait`. */
export function awaited({ actor, name }: At): Said {
  const { worker } = lossOf(actor)
  return {
    cause: 'worker_awaited',
    text: `${name} was given to the worker ${worker}, which is lost: it waits until that is back (onWorkerLost: wait)`,
    since: actor.since,
    blockedBy: [{ kind: 'worker', name: worker }],
    unblock: 'It goes on when the worker is back, and is not run anywhere else; a stop of the run ends the wait.'
  }
}

export function fencing({ now, actor, name }: At): Said {
  const { worker, fencedAt } = lossOf(actor)
  const attempt = Number(actor.memory.attempt)
  const wait = fencedAt === undefined || fencedAt <= now ? '' : ` ${lasting(fencedAt - now)}`
  return {
    cause: 'worker_fencing',
    text: `attempt ${attempt + 1} of ${name} waits${wait}: only then is it certain that attempt ${attempt} has ended on ${worker}`,
    since: actor.since,
    until: fencedAt,
    blockedBy: [{ kind: 'worker', name: worker }],
    unblock: 'It begins elsewhere then; if the worker is back before, it goes on there and nothing is run again.'
  }
}

export function replacing({ actor, name }: At): Said {
  const { worker } = lossOf(actor)
  return {
    cause: 'worker_replacing',
    text: `${name} needs another worker than ${worker}, which is lost`,
    since: actor.since,
    blockedBy: [{ kind: 'worker', name: worker }],
    unblock:
      'It goes on when it is certain that nothing is at work there and a worker that fits has a free slot, or when the lost one is back.'
  }
}
