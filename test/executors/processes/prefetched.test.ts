/** Records that a thread reads before anybody looks for them. Source: architecture 5, reliability P8. */
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { systemClock } from '../../../src/clock.ts'
import { endIdleThreads } from '../../../src/executors/frame/worker-thread.ts'
import { prefetchedRecords } from '../../../src/executors/processes/prefetched.ts'
import { bootId } from '../../../src/platform/process-identity.ts'
import { temporaryFolder } from '../../support/homes.ts'

describe('prefetched records', () => {
  const folder = temporaryFolder()
  let count = 0
  after(endIdleThreads)

  /** A log folder in which this process has begun a step. */
  function begun(): { nodeLogs: string; record: string } {
    const nodeLogs = join(folder, String(++count))
    const record = join(nodeLogs, 'a.1.1.state')
    mkdirSync(nodeLogs)
    writeFileSync(join(nodeLogs, 'a.out'), 'hello\n')
    writeFileSync(record, `${bootId()} 0 ${readFileSync('/proc/self/stat', 'utf8').trim()}\n`)
    return { nodeLogs, record }
  }
  const never = () => new AbortController().signal
  const stateOf = ({ found }: { found: { state: string } }) => found.state

  it('P8 each is told once as the thread has found it, then as it is', async () => {
    const [one, other] = [begun(), begun()]
    const { prefetch, read } = prefetchedRecords(systemClock)
    await prefetch([one.nodeLogs, other.nodeLogs], never())
    for (const { record } of [one, other]) appendFileSync(record, '3 0\n')
    expect([one, other, one].map(({ record }) => stateOf(read(record)))).to.deep.equal(['alive', 'alive', 'ended'])
  })
  it('one that no thread has found is read by whoever asks', async () => {
    const { nodeLogs, record } = begun()
    const { prefetch, read } = prefetchedRecords(systemClock)
    expect(stateOf(read(record))).to.equal('alive')
    await prefetch([join(folder, 'none')], never())
    expect(stateOf(read(join(nodeLogs, 'b.1.1.state')))).to.equal('absent')
  })
  it('an engine that closes gives the reading up, and whoever asks reads', async () => {
    const { nodeLogs, record } = begun()
    const { prefetch, read } = prefetchedRecords(systemClock)
    await prefetch([nodeLogs], AbortSignal.abort())
    appendFileSync(record, '3 0\n')
    expect(stateOf(read(record))).to.equal('ended')
  })
  it('a few are kept for those who never ask: the oldest go', async () => {
    const first = begun()
    const nodeLogs = join(folder, 'many')
    mkdirSync(nodeLogs)
    for (let n = 0; n < 1_500; n++) writeFileSync(join(nodeLogs, `s${n}.1.1.state`), '')
    const { prefetch, read } = prefetchedRecords(systemClock)
    await prefetch([first.nodeLogs], never())
    await prefetch([nodeLogs], never())
    appendFileSync(first.record, '3 0\n')
    expect(stateOf(read(first.record))).to.equal('ended')
  })
})
