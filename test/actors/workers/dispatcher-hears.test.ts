/** What workers say of tasks, and learn of them. Source: distribution 3, D6, D8, D12, D13. */
import { expect } from 'chai'
import { INLINE_BYTES, PART_BYTES } from '../../../src/bus/tasks.ts'
import { dispatcherScene, HOME, OTHER, subjects, TASK } from '../../support/worker/dispatcher-scene.ts'

describe('actors › the tasks of workers, as those speak of them', () => {
  const scene = dispatcherScene()
  const { request, waiting, worker, pass } = scene

  it('an event says that it was claimed, when the answer to its offer is lost', async () => {
    const one = worker(HOME, () => undefined)
    scene.dispatcher.begin(request(), waiting())
    await pass(500)
    expect(await one.says({ what: 'began' })).to.equal('acked')
    expect(scene.said).to.deep.equal(['claimed', 'began'])
  })
  it('D12 another worker says nothing about it, and learns nothing of its job', async () => {
    worker()
    scene.dispatcher.begin(request(), waiting())
    await pass(500)
    const other = worker(OTHER)
    expect(await other.says({ what: 'ended', result: '{}' })).to.equal('unknown')
    expect((await other.wants(0)).kind).to.equal('unknown')
    scene.dispatcher.progress(OTHER, [{ task: TASK, lease: 7, out: 5, err: 0 }])
    expect(scene.said).to.deep.equal(['claimed'])
    scene.dispatcher.progress(HOME, [{ task: TASK, lease: 7, out: 5, err: 0 }])
    expect(scene.said).to.deep.equal(['claimed', 'grown to 5'])
  })
  it('of another lease nothing is heard', async () => {
    const one = worker()
    scene.dispatcher.begin(request(), waiting())
    expect(await one.says({ what: 'ended', result: '{}', lease: 6 })).to.equal('unknown')
    expect(scene.said).to.deep.equal(['claimed'])
  })
  it('D6 an end that nobody waits for is passed on; its worker is answered once that is noted, and asks again if it cannot be', async () => {
    const one = worker()
    expect(await one.says({ what: 'began' })).to.equal('unknown')
    expect(scene.late).to.deep.equal([])
    scene.noted = () => Promise.reject(new Error('the disk is full'))
    expect(await one.says({ what: 'ended', result: '{}' })).to.equal('nothing')
    scene.noted = async () => {}
    expect(await one.says({ what: 'ended', result: '{}' })).to.equal('unknown')
    expect(scene.late).to.deep.equal([
      { home: HOME, task: TASK },
      { home: HOME, task: TASK }
    ])
  })
  it('D8 while runs are being opened again nobody is told that a task is unknown', async () => {
    scene.isComplete = false
    const one = worker()
    expect(await one.says({ what: 'ended', result: '{}' })).to.equal('nothing')
    scene.isComplete = true
    expect(await one.says({ what: 'ended', result: '{}' })).to.equal('unknown')
  })
  it('a job that does not fit into its offer is handed out in parts', async () => {
    const job = { text: 'x'.repeat(INLINE_BYTES + PART_BYTES) }
    const one = worker()
    scene.dispatcher.begin(request({ job }), waiting())
    await pass(500)
    expect(one.orders[0]).to.not.have.property('job')
    const parts: Buffer[] = []
    for (let size = 1, from = 0; from < size; ) {
      const part = await one.wants(from)
      if (part.kind !== 'part') throw new Error(part.kind)
      size = part.size
      from += part.data.length
      parts.push(part.data)
    }
    expect(JSON.parse(Buffer.concat(parts).toString())).to.deep.equal(job)
  })
  it('D13 a worker that was away hears which of its runs are over: by placement, and not while runs are being opened again', async () => {
    const [run, other] = ['2'.repeat(32), '3'.repeat(32)]
    scene.open = new Set([`${run}-7`])
    const held = [
      { run, lease: 6 },
      { run, lease: 7 },
      { run: other, lease: 8 }
    ]
    const one = worker()
    expect(await one.asks('e1', held)).to.deep.equal({ kind: 'over', runs: [held[0], held[2]] })
    expect(await one.asks('another', held)).to.equal(undefined)
    scene.isComplete = false
    expect(await one.asks('e1', held)).to.equal(undefined)
  })
  it('D13 what the engine before has given up is to be killed as soon as its worker is heard, once all runs are open again', async () => {
    scene.isComplete = false
    scene.givenUp = [{ home: HOME, task: TASK, lease: 7 }]
    let isSilent = true
    const one = worker(HOME, () => (isSilent ? undefined : { kind: 'claimed', state: 'claimed' }))
    await pass(5_000)
    expect(one.orders).to.deep.equal([])
    scene.isComplete = true
    await pass(5_000)
    expect(one.orders.length).to.be.above(0)
    isSilent = false
    await pass(20_000)
    const count = one.orders.length
    await pass(60_000)
    const stop = { kind: 'stop', task: TASK, lease: 7, signal: 'SIGKILL', kill: true, force: true }
    expect(one.orders).to.deep.equal(Array(count).fill(stop))
  })
  it('two engines that call one cluster theirs: neither speaks for the tasks of the other', async () => {
    const one = worker()
    scene.dispatcher.begin(request(), waiting())
    await pass(500)
    expect(await one.says({ what: 'ended', result: '{}', engine: 'e2' })).to.equal('nothing')
    expect(await one.says({ what: 'began', task: '9'.repeat(32), engine: 'e2' })).to.equal('nothing')
    expect(scene.said).to.deep.equal(['claimed'])
  })
  it('what cannot be read harms nobody', async () => {
    const end = scene.net.open('somebody')
    for (const text of ['', 'x', '{}', '{"kind":"event"}', '{"kind":"event","task":7}'])
      for (const kind of ['event', 'job'] as const) end.tell(subjects.up(HOME, kind), text)
    worker()
    scene.dispatcher.begin(request(), waiting())
    await pass(1_000)
    expect(scene.said).to.deep.equal(['claimed'])
  })
})
