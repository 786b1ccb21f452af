/** Opening a run on a worker that does not answer. Source: distribution D13. */
import { expect } from 'chai'
import { lateRunner } from '../../../src/actors/runner/late-runner.ts'
import type { Runner } from '../../../src/actors/runner/runner.ts'
import { systemClock } from '../../../src/clock.ts'

describe('workers › the runner of placed runs', () => {
  const silent = { open: () => new Promise<never>(() => {}) } as unknown as Runner // nothing else is asked of it
  const cases = {
    'a worker that does not answer': Promise.resolve(silent),
    'a coordinator': new Promise<never>(() => {})
  }
  for (const [whom, coming] of Object.entries(cases))
    it(`D13 a run that is stopped while it is opened does not wait for ${whom}`, async () => {
      const stop = new AbortController()
      const opened = lateRunner(coming, systemClock).open({ name: 'a', dagRunId: 'r1' }, stop.signal)
      const ended = opened.then(
        () => 'opened',
        (error: Error) => error.message
      )
      stop.abort()
      expect(await ended).to.equal('the run was stopped')
    })
})
