/**
 * One call of a function of the host application, in place of an execution. No file is made for it: that it began is on record with its
 * node, and its result is part of the message with which the node ends. Source: docs/executors/function.md.
 */
import type { AttemptCommand } from '../../../machines/node.ts'
import { Closing, Stopped, TimedOut } from '../../executors/function/errors.ts'
import type { HostFunction } from '../../executors/function/function.ts'
import type { Attempt } from '../runner/runner.ts'
import type { AttemptEnd } from '../step/attempt-state.ts'
import { terminated } from '../step/report-attempt.ts'
import { callFunction, type FunctionWork, noteInRunLog } from './call-function.ts'

const INTERRUPTED = 'interrupted: outcome unknown'
const LEFT_ALONE = 'is left to itself: let it end when its `signal` is aborted'

// D1055: a call leaves no files
export function performFunction(work: FunctionWork, fn: HostFunction): Attempt {
  const { services, input, tell } = work
  const { clock } = services
  const stop = new AbortController()
  let state: 'at work' | 'ended' | 'left' = 'at work'
  let resolveEnd: (end: AttemptEnd) => void = () => {}
  const ended = new Promise<AttemptEnd>((resolve) => {
    resolveEnd = resolve
  })
  function end(how: AttemptEnd): void {
    if (state !== 'at work') return
    state = 'ended'
    resolveEnd(how)
  }
  function begin(): void {
    void callFunction(work, fn, stop.signal).then((how) => {
      if (state === 'ended') noteInRunLog(work, fn, 'a function has settled after its step had ended, which is ignored')
      end(how)
    })
  }
  function find(): void {
    // Nothing is left of a call that an earlier engine made; how it ended, nobody can know.
    if (input.stopped) end(terminated(services))
    else tell(input.died ? 'attempt.died' : 'attempt.found')
  }
  if (input.resumed) find()
  else begin()
  return {
    ended,
    hear(command: AttemptCommand) {
      const isTimedOut = command.type === 'attempt.stop' && command.timedOut
      stop.abort(isTimedOut ? new TimedOut('the time limit of the step is over') : new Stopped('the step is stopped'))
      if (input.resumed) end({ at: clock.now(), exitCode: 1, error: INTERRUPTED })
      else if (command.type === 'attempt.kill') {
        if (state === 'at work')
          noteInRunLog(work, fn, `a function has not ended in its clean-up time, and ${LEFT_ALONE}`)
        end({ at: clock.now(), exitCode: -1, signal: 'killed', error: `signal: killed; the function ${LEFT_ALONE}` })
      }
    },
    leave() {
      if (state !== 'at work') return
      state = 'left' // the next engine looks
      stop.abort(new Closing('the engine closes'))
    }
  }
}
