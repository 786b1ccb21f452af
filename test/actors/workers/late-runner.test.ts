/** Opening a run on a worker that does not answer. Source: distribution D13. */
import { expect } from 'chai'
import type { AttemptInput } from '../../../machines/node.ts'
import { lateRunner } from '../../../src/actors/runner/late-runner.ts'
import type { Runner } from '../../../src/actors/runner/runner.ts'
import { systemClock } from '../../../src/clock.ts'
import { simulatedClock } from '../../support/simulated/simulated-clock.ts'

describe('workers › the runner of placed runs', () => {
  const silent = { open: () => new Promise<never>(() => {}) } as unknown as Runner // nothing else is asked of it
  const cases = {
    'a worker that does not answer': Promise.resolve(silent),
    'a coordinator': new Promise<never>(() => {})
  }
  for (const [whom, coming] of Object.entries(cases))
    it(`D13 a run that is stopped while it is opened does not wait for ${whom}`, async () => {
      const stop = new AbortController()
      const opened = lateRunner(coming, systemClock, 0).open({ name: 'a', dagRunId: 'r1' }, stop.signal)
      const ended = opened.then(
        () => 'opened',
        (error: Error) => error.message
      )
      stop.abort()
      expect(await ended).to.equal('the run was stopped')
    })

  describe('a step that is to be killed', () => {
    const input = {} as AttemptInput // nobody looks into it
    function scene(lostAfterMs: number) {
      const clock = simulatedClock()
      const heard: string[] = []
      let come: (runner: Runner) => void = () => {}
      const coming = new Promise<Runner>((resolve) => {
        come = resolve
      })
      const ended = Promise.resolve({ at: 1, exitCode: 0 })
      const attempt = { ended, hear: ({ type }: { type: string }) => heard.push(type), leave() {} }
      const runner = lateRunner(coming, clock, clock.elapsed() + lostAfterMs)
      const late = runner.attempt(input, () => {})
      const kill = () => late.hear({ type: 'attempt.kill', at: clock.now() })
      return { clock, heard, kill, late, come: () => come({ attempt: () => attempt } as unknown as Runner) } // nothing else is asked of it
    }

    it('D13 waits for a coordinator that comes within worker.lostAfter, and is killed on its worker then', async () => {
      const { clock, heard, kill, late, come } = scene(30_000)
      kill()
      clock.goTo(clock.now() + 29_999)
      come()
      expect(await late.ended).to.deep.equal({ at: 1, exitCode: 0 })
      expect(heard).to.deep.equal(['attempt.kill'])
    })
    it('D13 is given up after that, and at once where there can be none', async () => {
      for (const lostAfterMs of [30_000, 0]) {
        const { clock, kill, late } = scene(lostAfterMs)
        kill()
        clock.goTo(clock.now() + lostAfterMs)
        expect(await late.ended).to.include({
          exitCode: -1,
          error: 'there is no coordinator: whether the step has ended on its worker is not known'
        })
      }
    })
  })
})
