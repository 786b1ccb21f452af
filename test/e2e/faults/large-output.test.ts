/**
 * Memory is flat, however much a step prints: most through the shell, less where each byte costs more; `make bench-executors` has
 * 1 GB through each. Source: execution-semantics 4.5.1, 10.2.13, 10.3.8, 10.4.3, 14.4.6.
 */
import { once } from 'node:events'
import { rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { expect } from 'chai'
import { createEngine, type Engine } from '../../../src/index.ts'
import { liveEngine } from '../../support/engine/live.ts'
import { dockerService, IMAGE } from '../../support/executors/docker.ts'
import { liveSshd } from '../../support/executors/sshd.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { itLong, ofAll } from '../../support/long.ts'
import { grownBy } from '../../support/memory.ts'

/** Far less than what is printed, more than a garbage collector leaves lying about. */
const LIMIT_MB = 80
const LINE = 'x'.repeat(999)
const MOST = ofAll(300e6, 1e9)
const MANY = ofAll(100e6, 200e6)
/** `yes` prints a line forever. */
const printing = (bytes: number) => `yes ${LINE} | head -c ${bytes}`

describe('large output: memory is flat', () => {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'token'), 'hush-hush')
  const secrets = `secrets: [{name: TOKEN, provider: file, key: ${folder}/token}]`

  /** Runs one step, and looks at the size of its log. */
  async function prints(engine: Engine, bytes: number, spec: string): Promise<void> {
    let log = ''
    const grown = await grownBy(async () => {
      const { nodes } = await engine.result(await engine.start({ name: 'prints', spec }))
      const { status, error, stdout = '' } = nodes[0]?.node ?? {}
      expect(status, error).to.equal('succeeded')
      log = stdout
    })
    expect(statSync(log).size).to.equal(bytes)
    rmSync(log)
    expect(grown).to.be.lessThan(LIMIT_MB)
  }

  describe('inside and beside the engine', () => {
    const live = liveEngine()
    it('shell', () => prints(live.engine, MOST, `steps: ["${printing(MOST)}"]`))
    it('shell, masked', () => prints(live.engine, MANY, `${secrets}\nsteps: ["${printing(MANY)}"]`))
    it('http', async () => {
      const server = createServer((_, response) => {
        const line = Buffer.alloc(1e5, 'x')
        Readable.from(
          (function* () {
            for (let at = 0; at < MANY / 1e5; at++) yield line
          })()
        ).pipe(response)
      }).listen(0, '127.0.0.1')
      await once(server, 'listening')
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
      try {
        await prints(
          live.engine,
          MANY,
          `steps: [{executor: {type: http, config: {silent: true}}, command: GET ${url}}]`
        )
      } finally {
        server.close()
      }
    })
    itLong('dag: a sub workflow that prints much', async () => {
      const spec = `steps: [{call: child}]\n---\nname: child\nsteps: ["${printing(MANY)}"]\n`
      let result = ''
      expect(
        await grownBy(async () => {
          const run = await live.run(`name: parent\n${spec}`)
          result = run.out('dag_1')
        })
      ).to.be.lessThan(LIMIT_MB)
      expect(result).to.include('"status": "succeeded"')
    })
  })

  describe('ssh', () => {
    const sshd = liveSshd()
    const live = liveEngine()
    it('ssh', () =>
      prints(live.engine, MANY, `ssh: ${JSON.stringify(sshd.target)}\n${secrets}\nsteps: ["${printing(MANY)}"]`))
  })

  describe('docker', () => {
    const service = dockerService()
    const earlier = process.env.DOCKER_HOST
    let engine: Engine
    before(async () => {
      process.env.DOCKER_HOST = service.address // of the server's environment
      engine = await createEngine({ home: temporaryFolder(), defaultShell: 'sh' })
    })
    after(async () => {
      await engine?.close()
      if (earlier === undefined) delete process.env.DOCKER_HOST
      else process.env.DOCKER_HOST = earlier
    })
    const step = `command: sh -c '${printing(100e6)}'`
    it('docker: 100 MB of a container', () =>
      prints(
        engine,
        100e6,
        `steps: [{executor: {type: docker, config: {image: ${IMAGE}, autoRemove: true}}, ${step}}]`
      ))
    it('docker: 100 MB of a command in the container of the run, masked', () =>
      prints(engine, 100e6, `container: {image: ${IMAGE}}\n${secrets}\nsteps: [{${step}}]`))
  })
})
