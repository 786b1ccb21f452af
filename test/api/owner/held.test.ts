/** Processes that wait for a home are told of the end of its owner. Source: D1762. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { expect } from 'chai'
import { untilLeft } from '../../../src/api/owner/held.ts'
import { serveLocal } from '../../../src/api/owner/local.ts'
import { handClock } from '../../support/cli/fake-cli-engine.ts'
import { fakeEngine } from '../../support/engine/fake-engine.ts'
import { temporaryFolder } from '../../support/homes.ts'

describe('socket of the owner › processes that wait', () => {
  const never = new AbortController().signal

  it('are told when it stops listening, and do not hold it up', async () => {
    const path = join(temporaryFolder(), 'troupe.sock')
    const local = await serveLocal(fakeEngine({}), path, handClock())
    const told: string[] = []
    const waits = ['one', 'two'].map((name) => untilLeft(path, never).then(() => told.push(name)))
    const leaving = new AbortController()
    const left = untilLeft(path, leaving.signal)
    await new Promise((resolve) => setImmediate(resolve))
    expect(told).to.deep.equal([])
    leaving.abort()
    await left
    await local.close() // its time for pending answers is never over
    await Promise.all(waits)
    expect(told.sort()).to.deep.equal(['one', 'two'])
  })
  it('are told at once where nobody listens, and by an owner of an earlier release', async () => {
    const folder = temporaryFolder()
    await untilLeft(join(folder, 'nobody.sock'), never)
    const path = join(folder, 'earlier.sock')
    const earlier = createServer((_request, response) => response.writeHead(400).end('{}'))
    await once(earlier.listen(path), 'listening')
    await untilLeft(path, never)
    earlier.close()
  })
})
