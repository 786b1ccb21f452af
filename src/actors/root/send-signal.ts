/** Hands a signal to the run that it is for, and tells what became of it. Source: embedding 2.5. */
import type { Actor, AnyActorRef } from 'xstate'
import { type engineMachine, runId } from '../../../machines/engine.ts'
import type { SignalFate } from '../../../machines/policy/waits.ts'
import { fateOfSignal, type RunContext } from '../../../machines/run.ts'
import type { RunKey } from '../../../machines/vocabulary.ts'
import type { Clock } from '../../clock.ts'
import type { Transactions } from '../journal/transactions.ts'
import type { OpenRun } from './open-run.ts'

/** A signal as it was checked. */
export interface AskedSignal {
  step: string
  /** JSON. */
  payload: string
  by?: string
  id?: string
  /** An approval is refused, with this note. */
  refusal?: string
}

interface Ways {
  transactions: Transactions
  clock: Clock
  run: OpenRun | undefined
  root: Pick<Actor<typeof engineMachine>, 'send' | 'getSnapshot'>
}

// D1231: a signal waits for the secrets of its run
/** `unready`: its run is kept from being prepared, so nobody knows which secrets the payload may hold. */
export type SignalAnswer = SignalFate | 'unready'

/** The chart of the run decides, by the same rule as here, and at once: nothing comes between the answer and the event. */
export async function sendSignal(ways: Ways, key: RunKey, asked: AskedSignal): Promise<SignalAnswer> {
  if (lacksSecrets(ways.run)) {
    await prepared(ways.root.getSnapshot().children[runId(key)])
    const { status } = ways.root.getSnapshot().children[runId(key)]?.getSnapshot() ?? {}
    if (status === 'active' && lacksSecrets(ways.run)) return 'unready'
  }
  return sent(ways, key, asked)
}

/** The definition names secrets whose values are not known yet; those of a run on a worker never are, here. */
const lacksSecrets = (run: OpenRun | undefined): boolean =>
  run !== undefined && run.plan.secrets.length > 0 && run.scope === undefined && run.record.placement === undefined

/** Resolves when the run is not being prepared any more. */
const prepared = (run: AnyActorRef | undefined): Promise<void> =>
  new Promise((resolve) => {
    const isPreparing = () => run?.getSnapshot().status === 'active' && run.getSnapshot().value === 'preparing'
    if (!run || !isPreparing()) return resolve()
    const look = () => {
      if (isPreparing()) return
      following.unsubscribe()
      resolve()
    }
    const following = run.subscribe({ next: look, error: look, complete: look })
  })

const sent = (
  { transactions, clock, run, root }: Ways,
  key: RunKey,
  { step, payload, refusal, ...asked }: AskedSignal
): Promise<SignalFate> =>
  new Promise((resolve) => {
    transactions.take(() => {
      const found = root.getSnapshot().children[runId(key)]?.getSnapshot()
      // The end of the run may be on its way to the store, which then knows what it has got.
      if (found?.status !== 'active') return transactions.afterFlush(() => resolve('ended'))
      const fate = fateOfSignal(found.context as RunContext, step, asked.id) // children by their name have lost their type
      if (fate === 'taken') {
        const secrets = run?.scope?.secrets
        const { text, marks } = secrets && !secrets.none ? secrets.cover(payload) : { text: payload, marks: [] }
        root.send({
          type: 'signal.given',
          key,
          step,
          at: clock.now(),
          ...asked,
          ...(refusal === undefined ? {} : { refusal: secrets?.mask(refusal) ?? refusal }),
          output: text,
          ...(marks.length > 0 ? { outputMarks: marks } : {})
        })
      }
      if (fate === 'given' || fate === 'ended') resolve(fate)
      else transactions.afterFlush(() => resolve(fate))
    })
  })
