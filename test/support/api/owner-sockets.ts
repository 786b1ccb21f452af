/** Owner's sockets of engines that do what a test says, for the tests of a `describe`: each is closed after its test. */
import { join } from 'node:path'
import { serveLocal } from '../../../src/api/owner/local.ts'
import { fakeCliEngine, handClock, settled } from '../cli/fake-cli-engine.ts'
import { temporaryFolder } from '../homes.ts'

export function ownerSockets() {
  const closers: (() => Promise<unknown>)[] = []
  afterEach(() => Promise.all(closers.splice(0).map((close) => close())))
  async function served() {
    const home = temporaryFolder()
    const engine = fakeCliEngine(home)
    const path = join(home, 'troupe.sock')
    const clock = handClock()
    const server = await serveLocal(engine, path, clock)
    const close = async () => {
      const closed = server.close()
      await settled()
      clock.pass(1_000)
      await closed
    }
    closers.push(close)
    return { home, engine, path, clock, close }
  }
  return { served }
}
