/** What becomes of a command to an attempt, whether it comes before its execution or after. Source: execution-semantics 7.3, 13.5. */
import { expect } from 'chai'
import { attemptState } from '../../../src/actors/step/attempt-state.ts'
import type { Running } from '../../../src/executors/executor.ts'

describe('attempt › what it has at work, and what is asked of it', () => {
  function opened() {
    const asked: string[] = []
    const running: Running = {
      began: new Promise(() => {}),
      ended: new Promise(() => {}),
      stop: (signal) => void asked.push(signal),
      kill: () => void asked.push('kill')
    }
    return { state: attemptState(), running, asked }
  }
  const stop = { type: 'attempt.stop', signal: 'SIGTERM', at: 0 } as const
  const kill = { type: 'attempt.kill', at: 0 } as const

  it('what comes before its execution gives up the preparation, and is passed on once there is one', () => {
    const { state, running, asked } = opened()
    state.hear(stop)
    state.hear(kill)
    expect(state.abandoned.signal.aborted).to.equal(true)
    state.executing(running)
    expect(asked).to.deep.equal([])
    state.passOn(running)
    expect(asked).to.deep.equal(['SIGTERM', 'kill'])
  })
  it('an execution is asked directly, and nothing is given up', () => {
    const { state, running, asked } = opened()
    state.executing(running)
    state.hear(stop)
    expect(asked).to.deep.equal(['SIGTERM'])
    expect(state.abandoned.signal.aborted).to.equal(false)
  })
  it('one whose record could not be written was never at work', () => {
    const { state, running, asked } = opened()
    state.executing(running)
    state.unrecorded()
    state.hear(stop)
    expect(asked).to.deep.equal([])
    expect(state.abandoned.signal.aborted).to.equal(true)
  })
  it('an engine that closes leaves an execution alone, and gives up what is being prepared', () => {
    const prepared = opened()
    prepared.state.leave()
    expect(prepared.state.phase.name).to.equal('left')
    expect(prepared.state.abandoned.signal.aborted).to.equal(true)
    const { state, running, asked } = opened()
    state.executing(running)
    state.leave()
    expect(state.phase).to.deep.equal({ name: 'executing', running })
    expect(state.abandoned.signal.aborted).to.equal(false)
    expect(asked).to.deep.equal([])
  })
})
