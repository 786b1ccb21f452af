/** What of a worker's tasks goes in parts, and what cannot be taken. Source: distribution 1 (D10, D12), 3, 5, 7. */
import { appendFileSync, readdirSync, writeFileSync } from 'node:fs'
import { expect } from 'chai'
import { INLINE_BYTES, MOST_SECONDS, PART_BYTES } from '../../../src/bus/tasks.ts'
import { timesLine, timesPath } from '../../../src/platform/log-times.ts'
import { openSpool } from '../../../src/worker/tasks/spool.ts'
import { named, offerOf } from '../../support/worker/engine-end.ts'
import { JOB, TASK, tasksScene } from '../../support/worker/tasks-scene.ts'

describe("worker › what of a worker's tasks goes in parts, and what cannot be taken", () => {
  const scene = tasksScene()
  const { offer, until, got, said, beginning, start, spoolFolder, logs } = scene

  it('a job that does not fit into its offer is fetched in parts, over a bus that loses every third message', async () => {
    const job = { ...JOB, long: 'x'.repeat(3 * PART_BYTES) }
    scene.engine.jobs.set(TASK, JSON.stringify(job))
    scene.net.weather({ lost: 0.3, doubled: 0.2, lateMs: 100 })
    expect(said(await got(scene.engine.insist(offerOf({}, job)), 50))).to.match(/claimed|began/)
    await until('it begins', () => scene.begun.length > 0)
    expect(scene.begun).to.have.length(1)
  })
  it('one that nobody has any more is answered by nothing, and leaves nothing', async () => {
    const job = { ...JOB, long: 'x'.repeat(INLINE_BYTES) }
    let error: unknown
    await got(
      scene.engine.ask(offerOf({}, job)).catch((thrown) => {
        error = thrown
      }),
      100
    )
    expect(error).to.have.property('name', 'Unanswered')
    expect(readdirSync(spoolFolder())).to.deep.equal([])
    scene.engine.jobs.set(TASK, JSON.stringify(job))
    expect(said(await offer({}, job))).to.equal('claimed')
  })
  it('a long result is told by its size, and read in parts, also after a restart', async () => {
    await offer()
    await beginning()
    const result = { exitCode: 0, output: 'ü'.repeat(PART_BYTES), notes: [] }
    scene.begun[0]?.end(result)
    await until('its end is told', () => scene.engine.told('ended').length > 0)
    start()
    const text = Buffer.from(JSON.stringify(result))
    expect(scene.engine.told('ended')[0]).to.include({ resultBytes: text.length }).and.not.to.have.property('result')
    const parts: Buffer[] = []
    for (let from = 0; from < text.length; ) {
      const part = await got(
        scene.engine.ask({ kind: 'read', task: TASK, lease: 7, stream: 'result', from, max: PART_BYTES })
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
    expect(scene.tasks.progress()).to.deep.equal([])
    appendFileSync(logs()[0], 'now\n')
    expect(scene.tasks.progress()).to.deep.equal([{ task: TASK, lease: 7, out: 12, err: 0 }])
    expect(scene.tasks.progress()).to.deep.equal([])
    const read = await got(scene.engine.ask({ kind: 'read', task: TASK, lease: 7, stream: 'stdout', from: 8, max: 2 }))
    expect(read).to.deep.equal({ kind: 'part', size: 12, data: Buffer.from('no') })
    expect(
      said(await got(scene.engine.ask({ kind: 'read', task: named(5), lease: 7, stream: 'stdout', from: 0, max: 2 })))
    ).to.equal('unknown')
    scene.begun[0]?.end()
    await until('its end is told', () => scene.engine.told('ended').length > 0)
    const [{ out, outFrom, tailOut, tailErr } = {} as never] = scene.engine.told('ended')
    expect([out, outFrom, String(tailOut), String(tailErr)]).to.deep.equal([12, 8, 'now\n', ''])
  })
  it('D10 a part says in which seconds it was written, and ends before it says too many; short logs bring theirs with the end', async () => {
    writeFileSync(logs()[0], 'earlier\n')
    await offer()
    await beginning()
    const second = Math.floor(scene.clock.now() / 1_000) - 10_000
    const size = 8 + 2 * MOST_SECONDS + 10
    appendFileSync(logs()[0], 'x'.repeat(size - 8))
    const lines = Array.from({ length: MOST_SECONDS + 5 }, (_, index) => timesLine(second + index, 8 + 2 * (index + 1)))
    writeFileSync(timesPath(logs()[0]), timesLine(second - 50, 8) + lines.join(''))
    const read = async (from: number, max = PART_BYTES) => {
      const part = await got(scene.engine.ask({ kind: 'read', task: TASK, lease: 7, stream: 'stdout', from, max }))
      if (part.kind !== 'part') throw new Error(part.kind)
      const now = scene.clock.now()
      return { bytes: part.data.length, seconds: part.seconds?.map(({ agoMs, to }) => [(now - agoMs) / 1_000, to]) }
    }
    const first = await read(8)
    expect([first.bytes, first.seconds?.length]).to.deep.equal([2 * MOST_SECONDS, MOST_SECONDS])
    expect(await read(8 + first.bytes)).to.deep.equal({
      bytes: 10,
      seconds: Array.from({ length: 5 }, (_, index) => [
        second + MOST_SECONDS + index,
        8 + 2 * (MOST_SECONDS + index + 1)
      ])
    })
    expect(await read(11, 4)).to.deep.equal({
      bytes: 4,
      seconds: [
        [second + 1, 12],
        [second + 2, 14],
        [second + 3, 15]
      ]
    })
    scene.begun[0]?.end()
    await until('its end is told', () => scene.engine.told('ended').length > 0)
    const [{ out, tailOut, secondsOut } = {} as never] = scene.engine.told('ended')
    expect([out, tailOut, secondsOut], 'more seconds than fit: the log is read').to.deep.equal([
      size,
      undefined,
      undefined
    ])
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
    const unanswered = scene.engine.ask(stop).catch((error: Error) => error.name)
    await until('a full disk keeps no step from being stopped', () => scene.begun[0]?.heard.length === 1)
    expect(await got(unanswered, 100)).to.equal('Unanswered')
    expect(scene.faults.splice(0)).to.have.length(1)
    scene.begun[0]?.end()
    await until('half a minute passes', () => scene.clock.now() > Date.UTC(2026, 0, 1) + 30_000, 100)
    expect(scene.engine.told('ended')).to.deep.equal([])
    isFull = false
    await until('its end is told', () => scene.engine.told('ended').length > 0, 100)
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
    for (const text of wrong)
      expect(said(await got(scene.engine.say(text))), text.slice(0, 80)).to.equal('refused: message')
    expect([readdirSync(spoolFolder()), scene.tasks.held(), scene.begun, scene.forgotten]).to.deep.equal([
      [],
      [],
      [],
      []
    ])
  })
})
