/** A worker's account of its tasks, over a bus that loses, doubles and delays. Source: distribution 1 (D3, D8, D10, D12), 3, 5, 7. */
import { appendFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { INLINE_BYTES, type Offer, PART_BYTES, type Reply } from '../../../src/bus/tasks.ts'
import type { Stopped } from '../../../src/worker/tasks/record.ts'
import { openSpool, type Spool } from '../../../src/worker/tasks/spool.ts'
import { openTasks, type Tasks } from '../../../src/worker/tasks/tasks.ts'
import type { Work } from '../../../src/worker/tasks/work.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { type SimulatedNet, simulatedNet } from '../../support/simulated/bus.ts'
import { type SimulatedClock, simulatedClock } from '../../support/simulated/simulated-clock.ts'
import { CLUSTER, type EngineEnd, engineEnd, HOME, named, offerOf } from '../../support/worker/engine-end.ts'

const JOB = { place: 0, attempt: 1, nodes: [] }
const TASK = named(1)
const RUN = named(100)

interface Begun {
  id: string
  resumed: boolean
  heard: Stopped[]
  tell: Parameters<Work['begin']>[2]
  end(result?: object): void
}

describe("worker › a worker's tasks", () => {
  let clock: SimulatedClock
  let net: SimulatedNet
  let folder: string
  let engine: EngineEnd
  let tasks: Tasks
  let begun: Begun[]
  let forgotten: string[]
  let faults: unknown[]
  let refusal: ReturnType<Work['refusal']>
  let isAtWork: boolean
  let isFresh: boolean
  let isPast: boolean
  let wasFenced: boolean
  let lapses: number
  beforeEach(() => {
    clock = simulatedClock()
    net = simulatedNet(clock)
    folder = temporaryFolder()
    engine = engineEnd(net.open('engine'))
    begun = []
    forgotten = []
    faults = []
    refusal = undefined
    isAtWork = wasFenced = isPast = false
    isFresh = true
    lapses = 0
    start()
  })
  afterEach(() => {
    tasks.close()
    expect(faults).to.deep.equal([])
  })

  const spoolFolder = () => join(folder, 'spool')
  const logs = (): [string, string] => [join(folder, 'a.out'), join(folder, 'a.err')]
  /** A process of the worker, after the one before it has gone. */
  function start(spool: Spool = openSpool(spoolFolder())): void {
    tasks?.close()
    begun = []
    const work: Work = {
      isOpen: () => false,
      isAtWork: () => isAtWork,
      refusal: () => refusal,
      logsOf: logs,
      begin(task, resumed, tell) {
        const heard: Stopped[] = []
        let end: (result: object) => void = () => {}
        const ended = new Promise<{ result: object; at: number }>((resolve) => {
          end = (result) => resolve({ result, at: clock.now() })
        })
        const id = `${task.task}-${task.lease}`
        begun.push({ id, resumed, heard, tell, end: (result = { exitCode: 0, notes: [] }) => end(result) })
        return { ended, hear: (asked) => heard.push(asked), leave: () => {} }
      },
      forget: (run) => forgotten.push(run)
    }
    const fault = (message: string, fields?: object) => faults.push([message, fields])
    tasks = openTasks({
      ...{ bus: net.open('worker'), clock, cluster: CLUSTER, homeId: HOME, session: 's', spool, work },
      contact: {
        ...{ isFresh: () => isFresh, isRecent: (beat) => beat?.n !== 1, isPast: () => isPast, lapses: () => lapses },
        ...{ sent: () => {}, answered: () => {} }
      },
      fence: { wasFenced: () => wasFenced, unlist: () => {} },
      log: { error: fault, warn: () => {} }
    })
  }
  /** Has what is due happen, and the disk work, until it is so. @param ms that pass with each turn */
  async function until(what: string, is: () => boolean, ms = 0): Promise<void> {
    const tooLate = performance.now() + 50_000
    while (!is()) {
      if (performance.now() > tooLate) throw new Error(`${what}: never`)
      clock.goTo(clock.now() + ms)
      await new Promise(setImmediate)
    }
  }
  async function got<T>(asked: Promise<T>, ms = 0): Promise<T> {
    let isOver = false
    const over = () => {
      isOver = true
    }
    asked.then(over, over)
    await until('an answer', () => isOver, ms)
    return asked
  }
  const offer = (given: Partial<Offer> = {}, job: object = JOB) => got(engine.ask(offerOf(given, job)))
  const said = (reply: Reply): string =>
    reply.kind === 'refused' ? `refused: ${reply.why}` : reply.kind === 'claimed' ? reply.state : reply.kind
  const linesOf = (id = `${TASK}-7`) =>
    readFileSync(join(spoolFolder(), id), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).kind)
  const beginning = () => until('it begins', () => begun.length > 0)

  it('D3 an offer is on the disk before it is answered, and its begin before anything begins', async () => {
    expect(said(await offer())).to.equal('claimed')
    expect(linesOf()[0]).to.equal('claimed')
    await beginning()
    expect(linesOf()).to.deep.equal(['claimed', 'began'])
    begun[0]?.end()
    await until('its end is told', () => engine.told('ended').length > 0)
    expect(linesOf()).to.deep.equal(['claimed', 'began', 'ended'])
    expect(engine.told('ended')[0]).to.include({
      task: TASK,
      lease: 7,
      session: 's',
      result: '{"exitCode":0,"notes":[]}'
    })
  })
  it('D3 the same offer again gets the same answer and begins nothing, however often it comes and when', async () => {
    net.weather({ doubled: 0.5 })
    for (let times = 0; times < 5; times++) expect(said(await offer())).to.match(/^(claimed|began)$/)
    await beginning()
    expect(said(await offer())).to.equal('began')
    begun[0]?.end()
    await until('its end is told', () => engine.told('ended').length > 0)
    expect(said(await offer())).to.equal('ended')
    await until('it is told again', () => engine.told('ended').length > 1)
    start()
    expect(said(await offer())).to.equal('ended')
    expect(begun).to.deep.equal([])
  })
  it('D3 of a task that the engine has forgotten a late offer begins nothing', async () => {
    await offer()
    await beginning()
    begun[0]?.end()
    await until('its end is told', () => engine.told('ended').length > 0)
    expect(await got(engine.ask({ kind: 'forget', tasks: [{ task: TASK, lease: 7 }], runs: [] }))).to.include({
      kind: 'done'
    })
    expect(said(await offer())).to.equal('refused: stale')
    expect(begun).to.have.length(1)
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
    expect(said(await got(engine.ask(stop)))).to.equal('done')
    expect(said(await got(engine.ask(stop)))).to.equal('done')
    expect(said(await offer())).to.equal('refused: stopped')
    start()
    expect(said(await offer())).to.equal('refused: stopped')
    expect(said(await offer({ lease: 8 }))).to.equal('claimed')
  })
  it('D13 what is asked of a task at work reaches it, once it is on the disk', async () => {
    await offer()
    await beginning()
    const stop = { kind: 'stop' as const, task: TASK, lease: 7, signal: 'SIGINT' }
    expect(said(await got(engine.ask(stop)))).to.equal('began')
    expect(said(await got(engine.ask({ ...stop, signal: 'SIGKILL', kill: true, force: true })))).to.equal('began')
    expect(begun[0]?.heard).to.deep.equal([{ signal: 'SIGINT' }, { signal: 'SIGKILL', kill: true, force: true }])
    expect(linesOf()).to.deep.equal(['claimed', 'began', 'stopped', 'stopped'])
  })

  it('D4 an offer is refused while nothing is heard of the engine, or when it was on its way for too long; both pass', async () => {
    isFresh = false
    expect(said(await offer())).to.equal('refused: late')
    isFresh = true
    expect(said(await offer({ beat: { session: 's', n: 1 } }))).to.equal('refused: late')
    expect(said(await offer({ beat: { session: 's', n: 2 } }))).to.equal('claimed')
  })
  it('D4 a step that was claimed begins once the engine is heard; never, when it was silent for too long', async () => {
    for (const isLate of [false, true]) {
      const lease = isLate ? 9 : 8
      begun = []
      const claim = offer({ lease })
      isFresh = false
      expect(said(await claim)).to.equal('claimed')
      await got(new Promise((resolve) => clock.after(1_000, () => resolve(undefined))), 100)
      expect(begun).to.deep.equal([])
      if (isLate) lapses++
      isFresh = true
      await until('it goes on', () => linesOf(`${TASK}-${lease}`).length > 1, 100)
      expect(linesOf(`${TASK}-${lease}`).at(-1)).to.equal(isLate ? 'ended' : 'began')
      if (isLate) expect(readFileSync(join(spoolFolder(), `${TASK}-9`), 'utf8')).to.contain('it never began')
      else await beginning()
    }
    expect(begun).to.deep.equal([])
  })
  it('what is at work ends when nothing is heard of the engine for long, and says why; not what was offered otherwise', async () => {
    await offer()
    await beginning()
    await offer({ task: named(2), unfenced: true })
    await until('both', () => begun.length === 2)
    isPast = true
    await until('it is told', () => (begun[0]?.heard.length ?? 0) > 0, 100)
    expect([begun[0]?.heard, begun[1]?.heard]).to.deep.equal([[{ signal: 'SIGKILL', kill: true, force: true }], []])
    begun[0]?.end({ exitCode: -1, signal: 'killed', error: 'signal: killed', notes: [] })
    await until('its end', () => linesOf().includes('ended'))
    expect(readFileSync(join(spoolFolder(), `${TASK}-7`), 'utf8')).to.contain('fenced: nothing was heard of the engine')
  })
  it('one that its fence has ended says so, also to the next process; one that had succeeded before has', async () => {
    await offer()
    await offer({ task: named(2) })
    await until('both', () => begun.length === 2)
    isAtWork = wasFenced = true
    start()
    await until('both again', () => begun.length === 2)
    begun.find(({ id }) => id.startsWith(TASK))?.end({ exitCode: -1, error: 'signal: killed', notes: [] })
    begun.find(({ id }) => id.startsWith(named(2)))?.end()
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
    expect(begun).to.deep.equal([])
    await offer({ task: named(2) })
    await beginning()
    isAtWork = true
    for (const _ of [1, 2, 3, 4]) {
      start()
      await beginning()
    }
  })
  it('D8 after a restart what was claimed begins, what had begun is looked for, and what has ended is told again', async () => {
    for (const n of [1, 2, 3]) await offer({ task: named(n) })
    await until('they begin', () => begun.length === 3)
    begun[2]?.end()
    await until('the end of one is on record', () => linesOf(`${named(3)}-7`).includes('ended'))
    const path = join(spoolFolder(), `${named(1)}-7`)
    writeFileSync(path, `${readFileSync(path, 'utf8').split('\n')[0]}\n`) // as if the power had failed then
    engine.events.length = 0
    start()
    await until('they go on', () => begun.length === 2 && engine.told('ended', named(3)).length > 0)
    expect(begun.map(({ id, resumed }) => [id, resumed])).to.have.deep.members([
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
    await until('they begin', () => begun.length === 2)
    appendFileSync(torn, '{"kind":"ended","at":1,"out"')
    writeFileSync(damaged, `${readFileSync(damaged, 'utf8').replace('"began"', '"b\0gan"')}`)
    writeFileSync(empty, '{"kind":"claimed"')
    start()
    await beginning()
    expect(begun.map(({ id, resumed }) => [id, resumed])).to.deep.equal([[`${named(1)}-7`, true]])
    expect(faults.splice(0)).to.have.length(1)
    expect(said(await offer({ task: named(2) }))).to.equal('refused: stopped')
    expect(said(await offer({ task: named(3) }))).to.equal('claimed')
    begun[0]?.end()
    await until('its end is told', () => engine.told('ended', named(1)).length > 0)
    expect(linesOf(`${named(1)}-7`)).to.deep.equal(['claimed', 'began', 'resumed', 'ended'])
  })

  it('D8 an end is told until it is acknowledged, less and less often, and at once when the bus is back', async () => {
    engine.word = () => undefined
    await offer({ what: 'check' })
    await beginning()
    begun[0]?.end()
    await until('its end is told', () => engine.told('ended').length > 0)
    const from = clock.now()
    await until('it is told ten times', () => engine.told('ended').length === 10, 1)
    expect(clock.now() - from).to.be.within(60_000, 130_000)
    net.cut('worker', true)
    await until('a minute passes', () => clock.now() > from + 200_000, 100)
    expect(engine.told('ended')).to.have.length(10)
    engine.word = () => ({ kind: 'acked' })
    net.cut('worker', false)
    const back = clock.now()
    await until('it is told at once', () => engine.told('ended').length === 11, 1)
    expect(clock.now() - back).to.be.below(1_000)
    await until('an hour passes', () => clock.now() > back + 3_600_000, 10_000)
    expect(engine.told('ended')).to.have.length(11)
    expect(engine.events.at(-1)?.agoMs).to.be.within(200_000, 230_000)
  })
  it('an end that nobody waits for is dropped, with its record', async () => {
    engine.word = () => ({ kind: 'unknown' })
    await offer()
    await beginning()
    begun[0]?.end()
    await until('it is dropped', () => tasks.held().length === 0 && readdirSync(spoolFolder()).length === 0)
  })
  it('that it has begun is told, and no more once it has ended; an engine that was restarted hears that it was found', async () => {
    engine.word = () => undefined
    await offer()
    await beginning()
    begun[0]?.tell('began')
    await until('it is told', () => engine.told('began').length > 0)
    await offer({ epoch: 4, resumed: true, mayResume: true })
    await until('it is told', () => engine.told('found').length > 0)
    begun[0]?.end()
    await until('its end is told', () => engine.told('ended').length > 2, 100)
    const last = engine.events.findLastIndex(({ what }) => what !== 'ended')
    expect(last).to.be.below(engine.events.findIndex(({ what }) => what === 'ended') + 1)
  })

  it('a job that does not fit into its offer is fetched in parts, over a bus that loses every third message', async () => {
    const job = { ...JOB, long: 'x'.repeat(3 * PART_BYTES) }
    engine.jobs.set(TASK, JSON.stringify(job))
    net.weather({ lost: 0.3, doubled: 0.2, lateMs: 100 })
    expect(said(await got(engine.insist(offerOf({}, job)), 50))).to.match(/claimed|began/)
    await until('it begins', () => begun.length > 0)
    expect(begun).to.have.length(1)
  })
  it('one that nobody has any more is answered by nothing, and leaves nothing', async () => {
    const job = { ...JOB, long: 'x'.repeat(INLINE_BYTES) }
    let error: unknown
    await got(
      engine.ask(offerOf({}, job)).catch((thrown) => {
        error = thrown
      }),
      100
    )
    expect(error).to.have.property('name', 'Unanswered')
    expect(readdirSync(spoolFolder())).to.deep.equal([])
    engine.jobs.set(TASK, JSON.stringify(job))
    expect(said(await offer({}, job))).to.equal('claimed')
  })
  it('a long result is told by its size, and read in parts, also after a restart', async () => {
    await offer()
    await beginning()
    const result = { exitCode: 0, output: 'ü'.repeat(PART_BYTES), notes: [] }
    begun[0]?.end(result)
    await until('its end is told', () => engine.told('ended').length > 0)
    start()
    const text = Buffer.from(JSON.stringify(result))
    expect(engine.told('ended')[0]).to.include({ resultBytes: text.length }).and.not.to.have.property('result')
    const parts: Buffer[] = []
    for (let from = 0; from < text.length; ) {
      const part = await got(
        engine.ask({ kind: 'read', task: TASK, lease: 7, stream: 'result', from, max: PART_BYTES })
      )
      if (part.kind !== 'part') throw new Error(part.kind)
      expect(part.size).to.equal(text.length)
      parts.push(part.data)
      from += part.data.length
    }
    expect(Buffer.concat(parts).equals(text)).to.equal(true)
  })
  it('D10 logs are read by offset, told as they grow, and come along when they are short', async () => {
    writeFileSync(logs()[0], 'earlier\n')
    await offer()
    await beginning()
    expect(tasks.progress()).to.deep.equal([])
    appendFileSync(logs()[0], 'now\n')
    expect(tasks.progress()).to.deep.equal([{ task: TASK, lease: 7, out: 12, err: 0 }])
    expect(tasks.progress()).to.deep.equal([])
    const read = await got(engine.ask({ kind: 'read', task: TASK, lease: 7, stream: 'stdout', from: 8, max: 2 }))
    expect(read).to.deep.equal({ kind: 'part', size: 12, data: Buffer.from('no') })
    expect(
      said(await got(engine.ask({ kind: 'read', task: named(5), lease: 7, stream: 'stdout', from: 0, max: 2 })))
    ).to.equal('unknown')
    begun[0]?.end()
    await until('its end is told', () => engine.told('ended').length > 0)
    const [{ out, outFrom, tailOut, tailErr } = {} as never] = engine.told('ended')
    expect([out, outFrom, String(tailOut), String(tailErr)]).to.deep.equal([12, 8, 'now\n', ''])
  })

  it('a disk that cannot be written: no claim, and nothing begins; when there is space, it is taken', async () => {
    const spool = openSpool(spoolFolder())
    let isFull = true
    start({
      ...spool,
      add: (id, line) =>
        isFull ? Promise.reject(Object.assign(new Error('no space'), { code: 'ENOSPC' })) : spool.add(id, line)
    })
    expect(said(await offer())).to.equal('refused: disk')
    isFull = false
    expect(said(await offer())).to.equal('claimed')
    await beginning()
    isFull = true
    const stop = { kind: 'stop' as const, task: TASK, lease: 7, signal: 'SIGTERM' }
    const unanswered = engine.ask(stop).catch((error: Error) => error.name)
    await until('a full disk keeps no step from being stopped', () => begun[0]?.heard.length === 1)
    expect(await got(unanswered, 100)).to.equal('Unanswered')
    expect(faults.splice(0)).to.have.length(1)
    begun[0]?.end()
    await until('half a minute passes', () => clock.now() > Date.UTC(2026, 0, 1) + 30_000, 100)
    expect(engine.told('ended')).to.deep.equal([])
    isFull = false
    await until('its end is told', () => engine.told('ended').length > 0, 100)
  })
  it('D12 orders that make no sense, or are too large, change nothing', async () => {
    const whole = JSON.stringify({ v: 1, ...offerOf({}, JOB) })
    const wrong = [
      'no JSON',
      '[]',
      JSON.stringify({ v: 1, kind: 'format', disk: '/' }),
      whole.replace(TASK, '../../etc/passwd'),
      whole.replace('"lease":7', '"lease":-1'),
      whole.replace('"what":"step"', '"what":"shell"'),
      JSON.stringify({ v: 1, ...offerOf({}, { place: '../a', attempt: 1, nodes: 'all' }) }),
      JSON.stringify({ v: 1, ...offerOf({ jobBytes: 1e12 }, JOB), job: undefined }),
      `${whole.slice(0, -1)},"more":"${'x'.repeat(600_000)}"}`,
      JSON.stringify({ v: 1, kind: 'read', task: TASK, lease: 7, stream: '/etc/passwd', from: 0, max: 1 }),
      JSON.stringify({ v: 1, kind: 'forget', tasks: '*', runs: [] })
    ]
    for (const text of wrong) expect(said(await got(engine.say(text))), text.slice(0, 80)).to.equal('refused: message')
    expect([readdirSync(spoolFolder()), tasks.held(), begun, forgotten]).to.deep.equal([[], [], [], []])
  })
  it('what its work refuses is refused with the reason', async () => {
    for (const why of ['run', 'full'] as const) {
      refusal = why
      expect(said(await offer())).to.equal(`refused: ${why}`)
    }
    refusal = undefined
    expect(said(await offer())).to.equal('claimed')
  })
  it('a run is forgotten with all its tasks, once the last of them has ended', async () => {
    for (const n of [1, 2]) await offer({ task: named(n) })
    await until('they begin', () => begun.length === 2)
    begun[0]?.end()
    await until('one has ended', () => engine.told('ended').length > 0)
    await got(engine.ask({ kind: 'forget', tasks: [], runs: [RUN, named(101)] }))
    expect([tasks.held().map(({ task }) => task), forgotten]).to.deep.equal([[named(2)], [named(101)]])
    begun[1]?.end()
    await until('the other has ended', () => forgotten.length === 2)
    expect([tasks.held(), forgotten[1]]).to.deep.equal([[], RUN])
  })
  it('D6 of a run that is over, the end of a step that was given up is told before it is forgotten; one that was acknowledged is not told again', async () => {
    for (const n of [1, 2]) await offer({ task: named(n) })
    await until('they begin', () => begun.length === 2)
    begun[0]?.end()
    await until('one has ended', () => engine.told('ended').length > 0)
    engine.word = () => ({ kind: 'unknown' })
    await got(engine.ask({ kind: 'forget', tasks: [], runs: [RUN] }))
    await until('it is killed', () => begun[1]?.heard[0]?.kill === true)
    expect(tasks.held().map(({ task }) => task)).to.deep.equal([named(2)])
    begun[1]?.end({ exitCode: -1, signal: 'killed', notes: [] })
    await until('the run is forgotten', () => forgotten.length === 1)
    const [late] = engine.told('ended', named(2))
    expect([late?.name, late?.result, engine.told('ended', named(1)).length]).to.deep.equal([
      'run/a/r/node/a',
      '{"exitCode":-1,"signal":"killed","notes":[]}',
      1
    ])
    expect(tasks.held()).to.deep.equal([])
  })
  it('of a step that repeats for long only the last hundred passes are kept', async () => {
    for (let n = 1; n <= 120; n++) {
      await offer({ task: named(n) })
      await until('it begins', () => begun.length === n)
      begun[n - 1]?.end()
      await until('its end is told', () => engine.told('ended', named(n)).length > 0)
    }
    await until('the oldest are gone', () => tasks.held().length === 100)
    expect(existsSync(join(spoolFolder(), `${named(1)}-7`))).to.equal(false)
    expect(said(await offer({ task: named(1) }))).to.equal('refused: stale')
  })
  it('D3 a thousand tasks at once, over a bad bus and through two restarts: each is begun once, and each end is told', async () => {
    net.weather({ lost: 0.1, doubled: 0.2, lateMs: 500 })
    const count = 1_000
    const fresh = new Map<string, number>()
    const noted = new WeakSet<Begun>()
    const note = () => {
      for (const one of begun) {
        if (noted.has(one)) continue
        noted.add(one)
        if (!one.resumed) fresh.set(one.id, (fresh.get(one.id) ?? 0) + 1)
        one.tell('began')
        one.end()
      }
    }
    const isTold = () => {
      note()
      return new Set(engine.told('ended').map(({ task }) => task)).size === count
    }
    const asked = Array.from({ length: count }, (_, n) => engine.insist(offerOf({ task: named(n + 1) }, JOB)))
    for (const share of [0.3, 0.6]) {
      await until('some have begun', () => begun.length > 0 && fresh.size + begun.length > count * share, 100)
      note()
      start()
    }
    await until('every end is told', isTold, 100)
    await got(Promise.all(asked), 100)
    expect([...fresh.values()].filter((times) => times !== 1)).to.deep.equal([])
    expect(tasks.held().every(({ state }) => state === 'ended')).to.equal(true)
  }).timeout(60_000)
})
