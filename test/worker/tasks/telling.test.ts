/** What a worker tells of its tasks, until that is on record or forgotten. Source: distribution 1 (D3, D6, D8), 3, 5, 7. */
import { appendFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { named } from '../../support/worker/engine-end.ts'
import { RUN, tasksScene } from '../../support/worker/tasks-scene.ts'

describe('worker › what a worker tells of its tasks, until that is on record or forgotten', () => {
  const scene = tasksScene()
  const { offer, until, got, said, linesOf, beginning, start, spoolFolder } = scene

  it('D8 after a restart what was claimed begins, what had begun is looked for, and what has ended is told again', async () => {
    for (const n of [1, 2, 3]) await offer({ task: named(n) })
    await until('they begin', () => scene.begun.length === 3)
    scene.begun[2]?.end()
    await until('the end of one is on record', () => linesOf(`${named(3)}-7`).includes('ended'))
    const path = join(spoolFolder(), `${named(1)}-7`)
    writeFileSync(path, `${readFileSync(path, 'utf8').split('\n')[0]}\n`) // as if the power had failed then
    scene.engine.events.length = 0
    start()
    await until('they go on', () => scene.begun.length === 2 && scene.engine.told('ended', named(3)).length > 0)
    expect(scene.begun.map(({ id, resumed }) => [id, resumed])).to.have.deep.members([
      [`${named(1)}-7`, false],
      [`${named(2)}-7`, true]
    ])
  })
  it('D3 half a last line was never acted on; a damaged record begins nothing', async () => {
    const [torn, damaged, empty] = [1, 2, 3].map((n) => join(spoolFolder(), `${named(n)}-7`)) as [
      string,
      string,
      string
    ]
    await offer({ task: named(1) })
    await offer({ task: named(2) })
    await until('they begin', () => scene.begun.length === 2)
    appendFileSync(torn, '{"kind":"ended","at":1,"out"')
    writeFileSync(damaged, `${readFileSync(damaged, 'utf8').replace('"began"', '"b\0gan"')}`)
    writeFileSync(empty, '{"kind":"claimed"')
    start()
    await beginning()
    expect(scene.begun.map(({ id, resumed }) => [id, resumed])).to.deep.equal([[`${named(1)}-7`, true]])
    expect(scene.faults.splice(0)).to.have.length(1)
    expect(said(await offer({ task: named(2) }))).to.equal('refused: stopped')
    expect(said(await offer({ task: named(3) }))).to.equal('claimed')
    scene.begun[0]?.end()
    await until('its end is told', () => scene.engine.told('ended', named(1)).length > 0)
    expect(linesOf(`${named(1)}-7`)).to.deep.equal(['claimed', 'began', 'resumed', 'ended'])
  })
  it('D8 an end is told until it is acknowledged, less and less often, and at once when the bus is back', async () => {
    scene.engine.word = () => undefined
    await offer({ what: 'check' })
    await beginning()
    scene.begun[0]?.end()
    await until('its end is told', () => scene.engine.told('ended').length > 0)
    const from = scene.clock.now()
    await until('it is told ten times', () => scene.engine.told('ended').length === 10, 1)
    expect(scene.clock.now() - from).to.be.within(60_000, 130_000)
    scene.net.cut('worker', true)
    await until('a minute passes', () => scene.clock.now() > from + 200_000, 100)
    expect(scene.engine.told('ended')).to.have.length(10)
    scene.engine.word = () => ({ kind: 'acked' })
    scene.net.cut('worker', false)
    const back = scene.clock.now()
    await until('it is told at once', () => scene.engine.told('ended').length === 11, 1)
    expect(scene.clock.now() - back).to.be.below(1_000)
    await until('an hour passes', () => scene.clock.now() > back + 3_600_000, 10_000)
    expect(scene.engine.told('ended')).to.have.length(11)
    expect(scene.engine.events.at(-1)?.agoMs).to.be.within(200_000, 230_000)
  })
  it('an end that nobody waits for is dropped, with its record', async () => {
    scene.engine.word = () => ({ kind: 'unknown' })
    await offer()
    await beginning()
    scene.begun[0]?.end()
    await until('it is dropped', () => scene.tasks.held().length === 0 && readdirSync(spoolFolder()).length === 0)
  })
  it('that it has begun is told, and no more once it has ended; an engine that was restarted hears that it was found', async () => {
    scene.engine.word = () => undefined
    await offer()
    await beginning()
    scene.begun[0]?.tell('began')
    await until('it is told', () => scene.engine.told('began').length > 0)
    await offer({ epoch: 4, resumed: true, mayResume: true })
    await until('it is told', () => scene.engine.told('found').length > 0)
    scene.begun[0]?.end()
    await until('its end is told', () => scene.engine.told('ended').length > 2, 100)
    const last = scene.engine.events.findLastIndex(({ what }) => what !== 'ended')
    expect(last).to.be.below(scene.engine.events.findIndex(({ what }) => what === 'ended') + 1)
  })
  it('a run is forgotten with all its tasks, once the last of them has ended', async () => {
    for (const n of [1, 2]) await offer({ task: named(n) })
    await until('they begin', () => scene.begun.length === 2)
    scene.begun[0]?.end()
    await until('one has ended', () => scene.engine.told('ended').length > 0)
    await got(scene.engine.ask({ kind: 'forget', tasks: [], runs: [RUN, named(101)] }))
    expect([scene.tasks.held().map(({ task }) => task), scene.forgotten]).to.deep.equal([[named(2)], [named(101)]])
    scene.begun[1]?.end()
    await until('the other has ended', () => scene.forgotten.length === 2)
    expect([scene.tasks.held(), scene.forgotten[1]]).to.deep.equal([[], RUN])
  })
  it('D6 of a run that is over, the end of a step that was given up is told before it is forgotten; one that was acknowledged is not told again', async () => {
    for (const n of [1, 2]) await offer({ task: named(n) })
    await until('they begin', () => scene.begun.length === 2)
    scene.begun[0]?.end()
    await until('one has ended', () => scene.engine.told('ended').length > 0)
    scene.engine.word = () => ({ kind: 'unknown' })
    await got(scene.engine.ask({ kind: 'forget', tasks: [], runs: [RUN] }))
    await until('it is killed', () => scene.begun[1]?.heard[0]?.kill === true)
    expect(scene.tasks.held().map(({ task }) => task)).to.deep.equal([named(2)])
    scene.begun[1]?.end({ exitCode: -1, signal: 'killed', notes: [] })
    await until('the run is forgotten', () => scene.forgotten.length === 1)
    const [late] = scene.engine.told('ended', named(2))
    expect([late?.name, late?.result, scene.engine.told('ended', named(1)).length]).to.deep.equal([
      'run/a/r/node/a',
      '{"exitCode":-1,"signal":"killed","notes":[]}',
      1
    ])
    expect(scene.tasks.held()).to.deep.equal([])
  })
  it('of a step that repeats for long only the last hundred passes are kept', async () => {
    for (let n = 1; n <= 120; n++) {
      await offer({ task: named(n) })
      await until('it begins', () => scene.begun.length === n)
      scene.begun[n - 1]?.end()
      await until('its end is told', () => scene.engine.told('ended', named(n)).length > 0)
    }
    await until('the oldest are gone', () => scene.tasks.held().length === 100)
    expect(existsSync(join(spoolFolder(), `${named(1)}-7`))).to.equal(false)
    expect(said(await offer({ task: named(1) }))).to.equal('refused: stale')
  })
})
