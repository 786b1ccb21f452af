/** Whether the message bus of the workers is there, and belongs to this engine alone. Source: distribution 2, 8. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Clock, pause } from '../clock.ts'
import { type Config, useOf } from '../config.ts'
import { messageOf } from '../errors.ts'
import { type PlainFinding, plainFinding } from './finding.ts'
import { rightsFindings } from './worker-rights.ts'

/** A connection may take so long. */
const CONNECT_MS = 5_000
const LOOK_MS = 50
/** An engine says each second that it is there. */
const LISTEN_MS = 2_500

const finding = (message: string, mending: string): PlainFinding[] => [
  plainFinding({ check: 'bus', severity: 'error', message, mending })
]

/** None where no coordinator is configured or running. @param isRunning whether an engine owns the home */
export async function busFindings(
  { coordination }: Pick<Config, 'coordination'>,
  isRunning: boolean,
  clock: Clock
): Promise<PlainFinding[]> {
  const use = useOf(coordination)
  const { registryDir, cluster, nats } = coordination
  if (use === 'never' || (use === 'found' && !existsSync(join(registryDir, 'coordinator.json')))) return []
  const [{ coordinatorIn }, { engineServers }, { openNatsBus }, { beaconIn, subjectsOf }, { Unreadable }] =
    await Promise.all([
      import('../bus/address-file.ts'),
      import('../bus/engine-servers.ts'),
      import('../bus/nats.ts'),
      import('../bus/messages.ts'),
      import('../bus/readers.ts')
    ])
  // What a killed coordinator has left is no fault of a home that has asked for none.
  if (use === 'found' && !coordinatorIn(registryDir)) return []
  let servers: ReturnType<typeof engineServers>
  try {
    servers = engineServers(coordination)
  } catch (error) {
    return finding(messageOf(error), 'until then workers get nothing')
  }
  const subjects = subjectsOf(cluster)
  const inbox = subjects.inbox(`doctor${Buffer.from(clock.random(6)).toString('hex')}`)
  const bus = openNatsBus({ ...servers, name: 'doctor', inbox, clock })
  try {
    for (let waited = 0; bus.state === 'away' && bus.trouble === '' && waited < CONNECT_MS; waited += LOOK_MS)
      await pause(clock, LOOK_MS)
    if (bus.state === 'away') {
      const where = `the message bus at ${servers.servers.join(', ')}`
      return finding(
        `${where} is out of reach: ${bus.trouble || `no answer within ${CONNECT_MS / 1_000} s`}`,
        nats.length > 0 ? 'check coordinator.nats and peer.*' : 'start the coordinator again: troupe coordinator'
      )
    }
    const engines = new Set<string>()
    bus.hear(subjects.engine, ({ text }) => {
      try {
        engines.add(beaconIn(text).engine)
      } catch (error) {
        if (!(error instanceof Unreadable)) throw error
      }
    })
    const [rights] = await Promise.all([rightsFindings({ coordination }, bus, clock), pause(clock, LISTEN_MS)])
    if (engines.size <= (isRunning ? 1 : 0)) return rights
    return [
      ...finding(
        isRunning
          ? `${engines.size} engines use the cluster ${cluster} of one message bus`
          : `another engine uses the cluster ${cluster} of the message bus`,
        'give each engine a coordinator.cluster of its own'
      ),
      ...rights
    ]
  } finally {
    await bus.close()
  }
}
