/** The program `nats-server`, for tests that start it themselves, and what they know of connections to it. */
import { spawnSync } from 'node:child_process'
import type { Bus } from '../../src/bus/bus.ts'

const PATH = `${process.env.PATH ?? ''}:/usr/local/sbin:/usr/sbin:/sbin`

export const hasNats = spawnSync('nats-server', ['--version'], { env: { PATH } }).status === 0

/** Skips the tests of a `describe`, to be seen, where the program is missing: `apt-get install nats-server`. */
export function needsNats(): void {
  before(function () {
    if (!hasNats) this.skip()
  })
}

/**
 * Its side hears by now what it has asked to hear: a server reads the words of a connection in their order, those of two connections in any.
 * @param subject one that it may speak on and hear
 */
export async function ready(bus: Bus, subject = 'trp.t.ready'): Promise<void> {
  const end = bus.hear(subject, ({ answer }) => answer(''))
  await bus.ask(subject, '', 5_000)
  end()
}
