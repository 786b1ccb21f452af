/** A run that its worker had begun to forget when it died takes no slot for ever. Source: distribution 1, 5. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import type { OpenJob } from '../../../src/bus/jobs.ts'
import { readDefinition } from '../../../src/definition/read.ts'
import { eventually } from '../../support/waiting.ts'
import { named } from '../../support/worker/engine-end.ts'
import { workerScene } from '../../support/worker/machines.ts'

describe('worker › a run that was being forgotten', () => {
  it('that it was opened is on record no more, and a step is: it goes with that, once the engine waits for neither', async () => {
    const scene = workerScene({ slots: 1 })
    const { plan } = readDefinition('name: a\nsteps: [{name: one, command: "true"}]')
    const job = { run: { name: 'a', dagRunId: 'r1' }, runAttempt: 1, plan, params: [] } as unknown as OpenJob
    const opening = await scene.begin('open', job)
    await scene.ended(opening)
    await scene.done('step', { place: 0 })
    await scene.tasks.close()
    rmSync(join(scene.home, 'spool', `${named(opening)}-7`)) // a power cut may undo the removal of one record, and not of another
    scene.engine.word = () => ({ kind: 'unknown' })
    await scene.restart()
    await eventually('no slot is taken', () => (scene.tasks.taken() === 0 ? true : undefined))
    expect(scene.tasks.held()).to.deep.equal([])
    await scene.tasks.close()
  })
})
