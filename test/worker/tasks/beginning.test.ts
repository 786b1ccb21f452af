/** What of a worker's tasks begins: once, whatever is lost, doubled or late. Source: distribution 1 (D3, D4, D13), 3, 5, 7. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { named, offerOf } from '../../support/worker/engine-end.ts'
import { type Begun, JOB, TASK, tasksScene } from '../../support/worker/tasks-scene.ts'

describe("worker › what of a worker's tasks begins: once, whatever is lost, doubled or late", () => {
  const scene = tasksScene()
  const { offer, until, got, said, linesOf, beginning, start, spoolFolder } = scene

  it('D3 an offer is on the disk before it is answered, and its begin before anything begins', async () => {
    expect(said(await offer())).to.equal('claimed')
    expect(linesOf()[0]).to.equal('claimed')
    await beginning()
    expect(linesOf()).to.deep.equal(['claimed', 'began'])
    scene.begun[0]?.end()
    await until('its end is told', () => scene.engine.told('ended').length > 0)
    expect(linesOf()).to.deep.equal(['claimed', 'began', 'ended'])
    expect(scene.engine.told('ended')[0]).to.include({
      task: TASK,
      lease: 7,
      session: 's',
      result: '{"exitCode":0,"notes":[]}'
    })
  })
  it('D3 the same offer again gets the same answer and begins nothing, however often it comes and when', async () => {
    scene.net.weather({ doubled: 0.5 })
    for (let times = 0; times < 5; times++) expect(said(await offer())).to.match(/^(claimed|began)$/)
    await beginning()
    expect(said(await offer())).to.equal('began')
    scene.begun[0]?.end()
    await until('its end is told', () => scene.engine.told('ended').length > 0)
    expect(said(await offer())).to.equal('ended')
    await until('it is told again', () => scene.engine.told('ended').length > 1)
    start()
    expect(said(await offer())).to.equal('ended')
    expect(scene.begun).to.deep.equal([])
  })
  it('D3 of a task that the engine has forgotten a late offer begins nothing', async () => {
    await offer()
    await beginning()
    scene.begun[0]?.end()
    await until('its end is told', () => scene.engine.told('ended').length > 0)
    expect(await got(scene.engine.ask({ kind: 'forget', tasks: [{ task: TASK, lease: 7 }], runs: [] }))).to.include({
      kind: 'done'
    })
    expect(said(await offer())).to.equal('refused: stale')
    expect(scene.begun).to.have.length(1)
    await until('its record is gone', () => readdirSync(spoolFolder()).length === 0)
  })
  it('D3 a higher lease of a task makes lower ones stale, and a higher epoch earlier starts of the engine', async () => {
    await offer({ lease: 7 })
    expect(said(await offer({ lease: 9 }))).to.equal('claimed')
    expect(said(await offer({ lease: 8 }))).to.equal('refused: stale')
    expect(said(await offer({ task: named(2), epoch: 4 }))).to.equal('claimed')
    expect(said(await offer({ task: named(3), epoch: 3 }))).to.equal('refused: stale')
    expect(said(await offer({ task: named(4), epoch: 1, engine: 'another' }))).to.equal('claimed')
    start()
    expect(said(await offer({ lease: 8, epoch: 4 }))).to.equal('refused: stale')
    expect(said(await offer({ task: named(3), epoch: 3 }))).to.equal('refused: stale')
  })
  it('D13 a stop that comes before its offer leaves a mark: nothing begins, also after a restart', async () => {
    const stop = { kind: 'stop' as const, task: TASK, lease: 7, signal: 'SIGTERM' }
    expect(said(await got(scene.engine.ask(stop)))).to.equal('done')
    expect(said(await got(scene.engine.ask(stop)))).to.equal('done')
    expect(said(await offer())).to.equal('refused: stopped')
    start()
    expect(said(await offer())).to.equal('refused: stopped')
    expect(said(await offer({ lease: 8 }))).to.equal('claimed')
  })
  it('D13 what is asked of a task at work reaches it, once it is on the disk', async () => {
    await offer()
    await beginning()
    const stop = { kind: 'stop' as const, task: TASK, lease: 7, signal: 'SIGINT' }
    expect(said(await got(scene.engine.ask(stop)))).to.equal('began')
    expect(said(await got(scene.engine.ask({ ...stop, signal: 'SIGKILL', kill: true, force: true })))).to.equal('began')
    expect(scene.begun[0]?.heard).to.deep.equal([{ signal: 'SIGINT' }, { signal: 'SIGKILL', kill: true, force: true }])
    expect(linesOf()).to.deep.equal(['claimed', 'began', 'stopped', 'stopped'])
  })
  it('D4 an offer is refused while nothing is heard of the engine, or when it was on its way for too long; both pass', async () => {
    scene.isFresh = false
    expect(said(await offer())).to.equal('refused: late')
    scene.isFresh = true
    expect(said(await offer({ beat: { session: 's', n: 1 } }))).to.equal('refused: late')
    expect(said(await offer({ beat: { session: 's', n: 2 } }))).to.equal('claimed')
  })
  it('D4 a step that was claimed begins once the engine is heard; never, when it was silent for too long', async () => {
    for (const isLate of [false, true]) {
      const lease = isLate ? 9 : 8
      scene.begun = []
      const claim = offer({ lease })
      scene.isFresh = false
      expect(said(await claim)).to.equal('claimed')
      await got(new Promise((resolve) => scene.clock.after(1_000, () => resolve(undefined))), 100)
      expect(scene.begun).to.deep.equal([])
      if (isLate) scene.lapses++
      scene.isFresh = true
      await until('it goes on', () => linesOf(`${TASK}-${lease}`).length > 1, 100)
      expect(linesOf(`${TASK}-${lease}`).at(-1)).to.equal(isLate ? 'ended' : 'began')
      if (isLate) expect(readFileSync(join(spoolFolder(), `${TASK}-9`), 'utf8')).to.contain('it never began')
      else await beginning()
    }
    expect(scene.begun).to.deep.equal([])
  })
  it('what is at work ends when nothing is heard of the engine for long, and says why; not what was offered otherwise', async () => {
    await offer()
    await beginning()
    await offer({ task: named(2), unfenced: true })
    await until('both', () => scene.begun.length === 2)
    scene.isPast = true
    await until('it is told', () => (scene.begun[0]?.heard.length ?? 0) > 0, 100)
    expect([scene.begun[0]?.heard, scene.begun[1]?.heard]).to.deep.equal([
      [{ signal: 'SIGKILL', kill: true, force: true }],
      []
    ])
    scene.begun[0]?.end({ exitCode: -1, signal: 'killed', error: 'signal: killed', notes: [] })
    await until('its end', () => linesOf().includes('ended'))
    expect(readFileSync(join(spoolFolder(), `${TASK}-7`), 'utf8')).to.contain('fenced: nothing was heard of the engine')
  })
  it('one that its fence has ended says so, also to the next process; one that had succeeded before has', async () => {
    await offer()
    await offer({ task: named(2) })
    await until('both', () => scene.begun.length === 2)
    scene.isAtWork = scene.wasFenced = true
    start()
    await until('both again', () => scene.begun.length === 2)
    scene.begun.find(({ id }) => id.startsWith(TASK))?.end({ exitCode: -1, error: 'signal: killed', notes: [] })
    scene.begun.find(({ id }) => id.startsWith(named(2)))?.end()
    await until('their ends', () => linesOf().includes('ended') && linesOf(`${named(2)}-7`).includes('ended'))
    expect(readFileSync(join(spoolFolder(), `${TASK}-7`), 'utf8')).to.contain('fenced')
    expect(readFileSync(join(spoolFolder(), `${named(2)}-7`), 'utf8')).not.to.contain('fenced')
  })
  it('a task of which the worker dies three times within ten minutes begins no more; one that is at work goes on', async () => {
    await offer()
    await beginning()
    for (const _ of [1, 2]) {
      start()
      await beginning()
    }
    start()
    await until('its end', () => linesOf().includes('ended'))
    expect(readFileSync(join(spoolFolder(), `${TASK}-7`), 'utf8')).to.contain('the worker ended 3 times while it began')
    expect(scene.begun).to.deep.equal([])
    await offer({ task: named(2) })
    await beginning()
    scene.isAtWork = true
    for (const _ of [1, 2, 3, 4]) {
      start()
      await beginning()
    }
  })
  it('what its work refuses is refused with the reason', async () => {
    for (const why of ['run', 'full'] as const) {
      scene.refusal = why
      expect(said(await offer())).to.equal(`refused: ${why}`)
    }
    scene.refusal = undefined
    expect(said(await offer())).to.equal('claimed')
  })
  it('D3 a thousand tasks at once, over a bad bus and through two restarts: each is begun once, and each end is told', async () => {
    scene.net.weather({ lost: 0.1, doubled: 0.2, lateMs: 500 })
    const count = 1_000
    const fresh = new Map<string, number>()
    const noted = new WeakSet<Begun>()
    const note = () => {
      for (const one of scene.begun) {
        if (noted.has(one)) continue
        noted.add(one)
        if (!one.resumed) fresh.set(one.id, (fresh.get(one.id) ?? 0) + 1)
        one.tell('began')
        one.end()
      }
    }
    const isTold = () => {
      note()
      return new Set(scene.engine.told('ended').map(({ task }) => task)).size === count
    }
    const asked = Array.from({ length: count }, (_, n) => scene.engine.insist(offerOf({ task: named(n + 1) }, JOB)))
    for (const share of [0.3, 0.6]) {
      await until(
        'some have begun',
        () => scene.begun.length > 0 && fresh.size + scene.begun.length > count * share,
        100
      )
      note()
      start()
    }
    await until('every end is told', isTold, 100)
    await got(Promise.all(asked), 100)
    expect([...fresh.values()].filter((times) => times !== 1)).to.deep.equal([])
    expect(scene.tasks.held().every(({ state }) => state === 'ended')).to.equal(true)
  }).timeout(60_000)
})
