/** docs/cli.md: the commands that serve until a signal ends them do what their sections say, as they stand there. */
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { authority } from '../../support/auth/certificates.ts'
import { commandsOf, SECTIONS, type Sections } from '../../support/docs/cli-page.ts'
import { definitionsIn } from '../../support/docs/etl-home.ts'
import { type Shell, shellIn } from '../../support/docs/pasting.ts'
import { freePort } from '../../support/free-port.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { needsNats } from '../../support/nats.ts'
import { eventually } from '../../support/waiting.ts'

/** A command that goes on until a signal. */
interface Going {
  shown(what: string | RegExp): Promise<string>
  /** SIGTERM. @returns all that it has printed */
  end(): Promise<string>
}

describe('docs/cli.md › servers', function () {
  this.timeout(120_000)
  needsNats()
  const home = temporaryFolder()
  const far = temporaryFolder()
  const going: Going[] = []
  let coordinator: Going | undefined
  let worker: Going | undefined
  let shell: Shell
  let elsewhere: Shell
  before(async () => {
    const [page, bus] = await Promise.all([freePort(), freePort()])
    const addresses: [string, string][] = [
      ['10.0.0.5', '127.0.0.1'],
      ['bus.example', '127.0.0.1'],
      ['50055', `${bus}`]
    ]
    shell = shellIn(home, [['8080', `${page}`], ...addresses], { ENGINE_COORDINATOR_PORT: `${bus}` })
    elsewhere = shellIn(far, [['8080', '0'], ...addresses], { ENGINE_SCHEDULER_PORT: '0' })
    definitionsIn(home)
    const peers = authority('peers')
    const { cert, key } = peers.issue('bus')
    for (const [name, text] of [
      ['bus.pem', cert],
      ['bus.key', key]
    ] as const)
      writeFileSync(join(home, name), text, { mode: 0o600 })
    writeFileSync(join(far, 'ca.pem'), peers.cert)
  })
  after(() => Promise.all(going.map((one) => one.end())))

  function begin(block: string, where: Shell, environment: Record<string, string> = {}): Going {
    let out = ''
    let isOver = false
    const stop = new AbortController()
    const over = where.paste(block, {
      environment,
      ending: stop.signal,
      until(text) {
        out = text
        return false
      }
    })
    void over.then(() => {
      isOver = true
    })
    const one: Going = {
      shown: (what) =>
        eventually(`${what}`, () => {
          if (out.search(what) >= 0) return out
          if (isOver) throw new Error(`it has ended: ${out}`)
          return undefined
        }),
      async end() {
        stop.abort()
        return (await over).out
      }
    }
    going.push(one)
    return one
  }

  /** Settings of the examples that do not name them. */
  const token = { ENGINE_PEER_TOKEN: '0123456789abcdef' }
  /** The workers that the engine knows, when one of them is as it should be. */
  const listed = (as: RegExp) =>
    eventually(`a worker ${as}`, async () => {
      const { out } = await shell.paste(commandsOf('troupe workers')[0])
      return as.test(out) || undefined
    })

  const sections: Sections<'cli-servers'> = {
    async 'troupe start-all'() {
      await begin(commandsOf('troupe start-all')[0], shell).shown(
        /is up\n +page .*\n +API .*\n +home .*\n +definitions/
      )
    },
    async 'troupe server'() {
      const server = begin(commandsOf('troupe server')[0], elsewhere)
      await server.shown(/is up\n +page .*\n +API .*\n +home .*\n +definitions/)
      expect(await server.end()).to.contain('closing')
    },
    async 'troupe scheduler'() {
      mkdirSync(join(far, 'flows'))
      const scheduler = begin(commandsOf('troupe scheduler')[0], elsewhere)
      await scheduler.shown(`follows its schedules\n  definitions  ${join(far, 'flows')}\n`)
      expect(await scheduler.end()).to.contain('closing')
    },
    async 'troupe coordinator'() {
      coordinator = begin(commandsOf('troupe coordinator')[0], shell, token)
      await coordinator.shown(/coordinates workers\n +address .* \(TLS\)\n/)
    },
    async 'troupe worker'() {
      worker = begin(commandsOf('troupe worker')[0], elsewhere, { ...token, ENGINE_PEER_CLIENT_CA_FILE: 'ca.pem' })
      await worker.shown(/is the worker gpu-1\n +labels +gpu=true, zone=eu\n/)
    },
    async 'troupe workers'() {
      await listed(/^gpu-1 +healthy +0\/100 .* gpu=true,zone=eu$/m)
      expect(await worker?.end()).to.match(/draining: .*\n.* closing\n$/)
      expect(await coordinator?.end()).to.match(/closing\n$/)
    },
    async Workers() {
      const [beside, away] = commandsOf('Workers')
      const one = begin(beside, shell)
      await one.shown('coordinates workers')
      copyFileSync(join(home, 'peer.token'), join(far, 'peer.token'))
      const two = begin(away ?? '', elsewhere)
      await listed(/ healthy .* gpu=true$/m)
      expect(await two.end()).to.contain('draining')
      await one.end()
    }
  }
  for (const title of SECTIONS['cli-servers']) it(title, sections[title])
})
