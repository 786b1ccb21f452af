/** Hands a signal to the run that it is for, and tells what became of it. Source: embedding 2.5. */
import type { Actor } from 'xstate'
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
  /** Of an approval: it is refused, with this note. */
  refusal?: string
}

interface Ways {
  transactions: Transactions
  clock: Clock
  run: OpenRun | undefined
  root: Pick<Actor<typeof engineMachine>, 'send' | 'getSnapshot'>
}

/** The chart of the run decides, by the same rule as here, and at once: nothing comes between the answer and the event. */
export const sendSignal = (
  { transactions, clock, run, root }: Ways,
  key: RunKey,
  { step, payload, refusal, ...asked }: AskedSignal
): Promise<SignalFate> =>
  new Promise((resolve) => {
    transactions.take(() => {
      const found = root.getSnapshot().children[runId(key)]?.getSnapshot()
      // Its end may be on its way to the store, which then knows what it has got.
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
