/** What the doctor says of the message bus, where none can be reached. Source: distribution 8. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { systemClock } from '../../src/clock.ts'
import { readConfig, type Settings } from '../../src/config.ts'
import { busFindings } from '../../src/doctor/message-bus.ts'
import { freePort } from '../support/free-port.ts'
import { temporaryFolder } from '../support/homes.ts'

describe('doctor › the message bus', () => {
  const found = async (settings: Settings, home = temporaryFolder()) =>
    (await busFindings(readConfig({ home, ...settings }, {}), false, systemClock)).map(
      ({ severity, message, mending }) => `${severity} ${message}; ${mending}`
    )
  it('nothing where no coordinator is configured, or was killed', async () => {
    expect(await found({})).to.deep.equal([])
    const home = temporaryFolder()
    mkdirSync(join(home, 'data', 'service-registry'), { recursive: true })
    writeFileSync(join(home, 'data', 'service-registry', 'coordinator.json'), '{}')
    expect(await found({}, home)).to.deep.equal([])
  })
  it('a coordinator that was asked for is missing', async () => {
    expect(await found({ coordinator: { enabled: true } })).to.deep.equal([
      'error this home has no coordinator: start one with troupe coordinator; until then workers get nothing'
    ])
  })
  it('servers of the operator are out of reach', async () => {
    const nats = [`127.0.0.1:${await freePort()}`]
    expect(await found({ coordinator: { nats } })).to.deep.equal([
      `error the message bus at ${nats[0]} is out of reach: nothing listens there; check coordinator.nats and peer.*`
    ])
  })
})
