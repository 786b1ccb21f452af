/**
 * Whether servers of the operator let a worker with a key speak or listen as another one: what their rights say is not known here, so it
 * is tried. No engine hears the words of this. Source: distribution 1 (D12), 6.
 */
import type { Bus } from '../bus/bus.ts'
import type { NatsOptions } from '../bus/nats.ts'
import { type Clock, pause } from '../clock.ts'
import type { Config } from '../config.ts'
import { messageOf } from '../errors.ts'
import { type PlainFinding, plainFinding } from './finding.ts'

const CONNECT_MS = 5_000
const LOOK_MS = 50

const finding = (message: string, mending: string): PlainFinding[] => [
  plainFinding({ check: 'bus', severity: 'error', message, mending })
]

/** None without a key (`worker.keyFile`). @param engine connected as the engine */
export async function rightsFindings(
  { coordination }: Pick<Config, 'coordination'>,
  engine: Bus,
  clock: Clock
): Promise<PlainFinding[]> {
  const { worker, cluster, nats } = coordination
  if (worker.keyFile === '' || nats.length === 0) return []
  const [{ readKeyFile }, { serversFor }, { openNatsBus }, { subjectsOf }, { rightsOf }] = await Promise.all([
    import('../bus/key-file.ts'),
    import('../worker/coordinators.ts'),
    import('../bus/nats.ts'),
    import('../bus/messages.ts'),
    import('../bus/broker-config.ts')
  ])
  const subjects = subjectsOf(cluster)
  let self: { id: string; home: string }
  let servers: NatsOptions
  try {
    self = readKeyFile(worker.keyFile)
    const name = 'doctor as a worker'
    servers = { ...serversFor(coordination), name, inbox: subjects.inbox(self.home), clock }
  } catch (error) {
    return finding(messageOf(error), 'until then no worker starts with these settings')
  }
  const bus = openNatsBus(servers)
  try {
    for (let waited = 0; bus.state === 'away' && bus.trouble === '' && waited < CONNECT_MS; waited += LOOK_MS)
      await pause(clock, LOOK_MS)
    if (bus.state === 'away')
      return finding(
        `the worker ${self.id} cannot connect with its key: ${bus.trouble || 'no answer'}`,
        'check worker.keyFile and the users of your NATS servers'
      )
    const rights = `its rights should be ${rightsOf(subjects.ofWorker(self.home))}`
    return (await heardAs(bus, engine, subjects, self.home, clock)).flatMap((what) =>
      finding(`the worker ${self.id} ${what} with its key`, rights)
    )
  } finally {
    await bus.close()
  }
}

/** The rights that a worker has and should not, and those that it lacks. */
async function heardAs(
  worker: Bus,
  engine: Bus,
  { up, down }: ReturnType<typeof import('../bus/messages.ts').subjectsOf>,
  home: string,
  clock: Clock
): Promise<string[]> {
  const found = new Set<string>()
  const other = Buffer.from(clock.random(8)).toString('hex')
  // Two words more than any message has, one of them by chance: others may probe, too.
  const word = (subject: string) => `${subject}.doctor.${other}`
  const [ownUp, otherUp, otherDown] = [word(up(home, 'beat')), word(up(other, 'beat')), `${down(other)}.doctor`]
  engine.hear(ownUp, () => found.add('own'))
  engine.hear(otherUp, () => found.add('can speak as another worker'))
  worker.hear(otherDown, () => found.add('can listen to the tasks of another worker'))
  await pause(clock, SETTLE_MS)
  worker.tell(otherUp, '')
  worker.tell(ownUp, '')
  engine.tell(otherDown, '')
  // The worker's own word comes after the other one; on a busy machine it takes a while.
  for (let waited = 0; !found.has('own') && waited < OWN_WORD_MS; waited += LOOK_MS) await pause(clock, LOOK_MS)
  await pause(clock, SETTLE_MS)
  const faults = ['can speak as another worker', 'can listen to the tasks of another worker']
  return [...(found.has('own') ? [] : ['cannot speak as itself']), ...faults.filter((fault) => found.has(fault))]
}

/** The words of a connection are read in their order, those of two are not. */
const SETTLE_MS = 300
const OWN_WORD_MS = 2_000
