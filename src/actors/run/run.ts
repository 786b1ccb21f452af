/** Implements the actors of the run machine. */
import { fromCallback } from 'xstate'
import { runMachine } from '../../../machines/run.ts'
import type { RunKey } from '../../../machines/vocabulary.ts'
import { quick } from '../journal/quick-transitions.ts'
import { recorded } from '../journal/recorded.ts'
import type { Recorders } from '../journal/recorder.ts'
import { alarm } from '../pace/alarm.ts'
import type { Services } from '../root/services.ts'
import { type InPlaceOfAttempts, nodeLogic } from '../step/node.ts'
import { notification } from './notification.ts'

// D48: a stop while a run is being prepared cancels the preparation
export const runLogic = (services: Services, recorders: Recorders, charts: InPlaceOfAttempts) =>
  recorded(
    quick(runMachine, {
      preparation: preparation(services),
      conditions: conditions(services),
      release: release(services),
      node: nodeLogic(services, recorders.node, charts),
      notification: notification(services),
      alarm: alarm(services)
    }),
    recorders.run
  )

/** Has the run's variables evaluated, its folders and its container made. */
const preparation = (services: Services) =>
  fromCallback<{ type: 'preparation.stop' }, RunKey>(({ input: key, sendBack, receive }) => {
    const { clock, transactions } = services
    const abandoned = new AbortController()
    receive(() => abandoned.abort())
    let isOver = false
    let isLeft = false
    const answer = (event: { type: string; error?: string }) => {
      isOver = true
      transactions.take(() => sendBack({ at: clock.now(), ...event }))
    }
    transactions.afterCommit(() => {
      if (isLeft) return // it was superseded in the turn in which it began
      void services
        .runnerOf(key)
        .open(key, abandoned.signal)
        .then(
          () => answer({ type: 'run.prepared' }),
          (error: Error) => answer({ type: 'run.unprepared', error: error.message })
        )
    })
    return () => {
      isLeft = true
      if (!isOver) abandoned.abort() // every run ends here, and an abort without listeners costs 40 µs
    }
  })

/** Has the run's container removed. */
const release = (services: Services) =>
  fromCallback<{ type: 'release.hurry' }, RunKey>(({ input: key, sendBack }) => {
    const { clock, transactions } = services
    transactions.afterCommit(
      () =>
        void services
          .runnerOf(key)
          .release(key)
          .then(() => transactions.take(() => sendBack({ type: 'run.released', at: clock.now() })))
    )
  })

/** Asks for the DAG's preconditions. */
const conditions = (services: Services) =>
  fromCallback<{ type: 'conditions.stop' }, RunKey>(({ input: key, sendBack }) => {
    const { clock, transactions } = services
    const abandoned = new AbortController()
    transactions.afterCommit(
      () =>
        void services
          .runnerOf(key)
          .conditions(key, abandoned.signal)
          .then(({ met, conditions }) =>
            transactions.take(() => sendBack({ type: 'conditions.checked', at: clock.now(), met, conditions }))
          )
    )
    return () => abandoned.abort()
  })
