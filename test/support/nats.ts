/** The program `nats-server`, for tests that start it themselves. */
import { spawnSync } from 'node:child_process'

const PATH = `${process.env.PATH ?? ''}:/usr/local/sbin:/usr/sbin:/sbin`

export const hasNats = spawnSync('nats-server', ['--version'], { env: { PATH } }).status === 0

/** Skips the tests of a `describe`, to be seen, where the program is missing: `apt-get install nats-server`. */
export function needsNats(): void {
  before(function () {
    if (!hasNats) this.skip()
  })
}
