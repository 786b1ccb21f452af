/** The actions of the worker chart: answers to the worker's messages, and news for the runs placed on it. Source: distribution 3, 4. */
import { workerMachine } from '../../../machines/worker.ts'
import { type Answer, BEAT_MS } from '../../bus/messages.ts'
import type { Clock } from '../../clock.ts'
import type { EngineIdentity } from '../../store/tables/workers.ts'
import type { Transactions } from '../journal/transactions.ts'
import { alarm } from '../pace/alarm.ts'

export interface WorkerLogicParts {
  clock: Clock
  transactions: Transactions
  engine: EngineIdentity
  lostAfterMs: number
  fenceAfterMs: number
  /** Answers the message that its chart is deciding about. */
  answer(said: Answer): void
  /** Tells the runs of the worker, in a later turn. */
  say(type: 'worker.lost' | 'worker.fenced' | 'worker.back'): void
  /** Asks every run that was placed on it to stop. */
  stopRuns(): void
}

export function workerLogic(parts: WorkerLogicParts) {
  const { engine, lostAfterMs, fenceAfterMs, answer, say, stopRuns } = parts
  const refuse = (why: string, text: string) => answer({ kind: 'refused', why, text })
  return workerMachine.provide({
    actors: { alarm: alarm(parts) },
    actions: {
      welcome: () =>
        answer({
          kind: 'welcome',
          epoch: engine.epoch,
          engine: engine.id,
          beatMs: BEAT_MS,
          lostMs: lostAfterMs,
          fenceMs: fenceAfterMs
        }),
      sayLost: () => say('worker.lost'),
      sayFenced: () => say('worker.fenced'),
      sayBack: () => say('worker.back'),
      refuse: ({ context: { refusal } }) => refuse('refused', refusal),
      refuseGarbled: (_, { reason }) => refuse('message', reason),
      acknowledge: ({ context: { drain } }, { beat: n }) =>
        answer({ kind: 'heard', n, epoch: engine.epoch, ...(drain ? { drain } : {}) }),
      stopRuns,
      askHello: () => answer({ kind: 'greet' }),
      refuseReplaced: () => refuse('replaced', 'another process of the same home has said hello since')
    }
  })
}
