/** Without a coordinator nothing of bus and workers is loaded. Source: distribution 0.4. */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { freePort } from '../../support/free-port.ts'
import { temporaryFolder } from '../../support/homes.ts'

const INDEX = new URL('../../../src/index.js', import.meta.url).href
/** What a coordinator is needed for. */
const LATE = /@nats-io|\/src\/bus\/|\/src\/actors\/workers\/|\/src\/engine\/workers\/open-bus/

/** Files that a process loads in which an engine is opened, runs something and is closed. */
function loadedBy(options: object): string[] {
  const folder = temporaryFolder()
  const list = join(folder, 'loaded')
  const hooks = `import { appendFileSync } from 'node:fs'
    export function load(url, context, next) {
      appendFileSync(${JSON.stringify(list)}, url + '\\n')
      return next(url, context)
    }`
  const program = join(folder, 'host.mjs')
  writeFileSync(
    program,
    `import { register } from 'node:module'
    register('data:text/javascript,' + encodeURIComponent(${JSON.stringify(hooks)}))
    const { createEngine } = await import(${JSON.stringify(INDEX)})
    const engine = await createEngine({ temporary: true, ...${JSON.stringify(options)} })
    await engine.result(await engine.start({ name: 'hi', spec: 'steps: [echo hi]' }))
    await engine.workers().catch(() => {})
    await engine.bus()
    await engine.health()
    await engine.close()`
  )
  execFileSync(process.execPath, [program])
  return readFileSync(list, 'utf8').trim().split('\n')
}

describe('engine › without a coordinator', () => {
  it('nothing of bus and workers is loaded', async function () {
    this.timeout(30_000)
    const without = loadedBy({})
    expect(without.some((file) => file.endsWith('/src/engine/workers/coordination.js'))).to.equal(true)
    expect(without.filter((file) => LATE.test(file))).to.deep.equal([])
    const asked = loadedBy({ coordinator: { nats: [`127.0.0.1:${await freePort()}`] } })
    for (const file of ['/src/bus/nats.js', '/src/actors/workers/workers.js', '/src/engine/workers/open-bus.js'])
      expect(
        asked.some((loaded) => loaded.endsWith(file)),
        file
      ).to.equal(true)
    expect(asked.some((loaded) => loaded.includes('/@nats-io/'))).to.equal(true)
  })
})
