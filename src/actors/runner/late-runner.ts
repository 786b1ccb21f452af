/**
 * The runner of placed runs, which is there once this engine has a coordinator: what is asked of it waits until then. A run that is
 * stopped while it is opened does not wait, and the kill of a step no longer than for a worker. Source: distribution 4.
 */
import type { Clock } from '../../clock.ts'
import type { AttemptEnd } from '../step/attempt-state.ts'
import { commandBuffer } from '../step/command-buffer.ts'
import type { Attempt, Runner } from './runner.ts'

// D1006: a coordinator that comes within the time of a worker is not given up
/** @param givenUpAt of `clock.elapsed`: from then on a step that is to be killed does not wait for a coordinator */
export const lateRunner = (
  coming: Promise<Runner>,
  clock: Pick<Clock, 'now' | 'elapsed' | 'after'>,
  givenUpAt: number
): Runner => ({
  open: (key, signal) => {
    const opened = coming.then((runner) => runner.open(key, signal))
    return Promise.race([opened, stopped(signal)])
  },
  conditions: async (key, signal) => (await coming).conditions(key, signal),
  prepare: async (input, abandoned) => (await coming).prepare(input, abandoned),
  attempt(input, tell) {
    const commands = commandBuffer()
    let isLeft = false
    let isOver = false
    let attempt: Attempt | undefined
    let giveUp: (end: AttemptEnd) => void = () => {}
    let cancelWait: (() => void) | undefined
    const givenUp = new Promise<AttemptEnd>((resolve) => {
      giveUp = resolve
    })
    const begun = coming.then((runner) => {
      cancelWait?.()
      if (isLeft || isOver) return new Promise<never>(() => {}) // the next engine looks
      attempt = runner.attempt(input, tell)
      commands.begun(attempt)
      return attempt.ended
    })
    return {
      ended: Promise.race([begun, givenUp]),
      hear(command) {
        commands.hear(command)
        if (attempt || command.type === 'attempt.stop') return
        cancelWait ??= clock.after(Math.max(0, givenUpAt - clock.elapsed()), () => {
          isOver = true
          giveUp({ at: clock.now(), exitCode: -1, error: NOBODY })
        })
      },
      stored: () => attempt?.stored?.(),
      leave(isGivenUp) {
        isLeft = true
        cancelWait?.()
        attempt?.leave(isGivenUp)
      }
    }
  },
  expand: async (input, signal) => (await coming).expand(input, signal),
  repeats: async (input, abandoned) => (await coming).repeats(input, abandoned),
  over: (run) => void coming.then((runner) => runner.over?.(run)),
  // A worker that nobody can ask now drops the run when it is back: the run is over.
  release: async (key) => (await Promise.race([coming, Promise.resolve(undefined)]))?.release(key)
})

/** Rejects when it is so: the worker of the run may be away, and the run does not wait for it to end. */
const stopped = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => {
    const stop = () => reject(new Error('the run was stopped'))
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  })

const NOBODY = 'there is no coordinator: whether the step has ended on its worker is not known'
