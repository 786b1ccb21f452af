/** One worker: its chart on a stage, its answers and what its runs are told. */
import { createActor, type SnapshotFrom } from 'xstate'
import { type DrainAsked, type WorkerEvent, workerMachine } from '../../../machines/worker.ts'
import { invokedActor, onStage, openStage, START } from './stage.ts'
import { beat, hello } from './workers.ts'

/** One worker on a stage; `answers` are those that it was given, newest last. */
export function drive({ lostAfterMs = 30_000 } = {}) {
  const stage = openStage()
  /** What its runs were told. */
  const news: string[] = []
  const answers: string[] = []
  let stops = 0
  const answer = (name: string) => () => void answers.push(name)
  const machine = createActor(
    workerMachine.provide({
      actors: { alarm: invokedActor('alarm') as never },
      actions: {
        welcome: answer('welcome'),
        refuse: ({ context }) => void answers.push(`refused: ${context.refusal}`),
        refuseGarbled: (_, { reason }) => void answers.push(`not read: ${reason}`),
        acknowledge: (_, { beat: n }) => void answers.push(`heard ${n}`),
        askHello: answer('say hello'),
        refuseReplaced: answer('replaced'),
        sayLost: (_, { silentMs, fencedAt }) =>
          void news.push(`lost for ${silentMs}${fencedAt === undefined ? '' : `, until ${fencedAt}`}`),
        sayFenced: () => void news.push('fenced'),
        sayBack: () => void news.push('back'),
        stopRuns: () => {
          stops++
        }
      }
    }),
    { input: { home: 'a1', at: START, speaks: { min: 1, max: 1 }, lostAfterMs, fenceAfterMs: lostAfterMs + 30_000 } }
  )
  const actor = onStage(stage, machine).start()
  const send = (event: WorkerEvent) => actor.send(event)
  let count = 0
  return {
    answers,
    news,
    state: (): SnapshotFrom<typeof workerMachine>['value'] => actor.getSnapshot().value,
    context: () => actor.getSnapshot().context,
    health: () => [...actor.getSnapshot().tags].join(),
    hello: (given: Parameters<typeof hello>[0] = {}) => send(hello({ at: stage.now, ...given })),
    garbage: (reason = 'hello: wanted a text') => send({ type: 'hello.garbled', at: stage.now, reason }),
    floods: (reason = 'it says too much') => send({ type: 'flood.heard', at: stage.now, reason }),
    beat: (given: Parameters<typeof beat>[0] = {}) => send(beat({ at: stage.now, beat: ++count, ...given })),
    drain: (drain?: DrainAsked) => send({ type: 'drain.asked', at: stage.now, ...(drain ? { drain } : {}) }),
    deaf: () => send({ type: 'offers.unanswered', at: stage.now }),
    stops: () => stops,
    engine: (what: 'connected' | 'disconnected') => send({ type: `engine.${what}`, at: stage.now }),
    silence: (ms: number) => stage.advance(ms)
  }
}
export const served = (options?: Parameters<typeof drive>[0]) => {
  const worker = drive(options)
  worker.hello()
  return worker
}
