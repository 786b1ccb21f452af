/** A coordinator as users start it, an engine's room of workers on its bus, and workers. */
import { join } from 'node:path'
import type { Transactions } from '../../../src/actors/journal/transactions.ts'
import { openWorkers, type Workers } from '../../../src/actors/workers/workers.ts'
import { coordinatorIn } from '../../../src/bus/address-file.ts'
import { openNatsBus } from '../../../src/bus/nats.ts'
import { systemClock as clock } from '../../../src/clock.ts'
import { openStore } from '../../../src/store/open.ts'
import { beginEpoch } from '../../../src/store/tables/workers.ts'
import { freePort } from '../free-port.ts'
import { temporaryFolder } from '../homes.ts'
import { eventually } from '../waiting.ts'
import { type Program, program } from './program.ts'

export interface Cluster {
  home: string
  /** Folder of the address file. */
  registry: string
  brokerPid: string
  room: Workers
  /** @param near it is not told where the coordinator is */
  worker(home: string, id: string, argv?: string[], options?: { near?: true; env?: Record<string, string> }): Program
  /** Another coordinator of the same home. */
  coordinator(port: number): Program
  /** Ends the coordinator last; resolves with its exit code. */
  close(): Promise<number | null>
}

/** @param env of the coordinator */
export async function openCluster(
  given: { port?: number; env?: Record<string, string>; argv?: string[] } = {}
): Promise<Cluster> {
  const { port = await freePort(), env = {}, argv = [] } = given
  const home = temporaryFolder()
  const registry = join(home, 'data', 'service-registry')
  const coordinator = (port: number) =>
    program(home, { ENGINE_HOME: home, ...env }, 'coordinator', '--json', '-P', `${port}`, ...argv)
  const first = coordinator(port)
  await eventually('a coordinator', () => {
    if (first.child.exitCode !== null) throw new Error(`it has ended: ${first.written.err}`)
    return first.written.out.endsWith('\n') ? true : undefined
  })
  const bus = openNatsBus({
    name: 'engine',
    inbox: 'trp.troupe.inbox.engine',
    clock,
    find() {
      const { password = '', certFile = '' } = coordinatorIn(registry) ?? {}
      const tls = certFile === '' ? {} : { tls: { caFiles: [certFile], anyName: true, ...ownCertificate(env) } }
      return { servers: [`127.0.0.1:${port}`], ...(password === '' ? {} : { user: 'engine', password }), ...tls }
    }
  })
  const store = openStore(temporaryFolder())
  const faults: unknown[] = []
  const room = openWorkers({
    bus,
    clock,
    store,
    version: '1',
    cluster: 'troupe',
    lostAfterMs: 30_000,
    fenceAfterMs: 60_000,
    engine: await beginEpoch(store, clock),
    transactions: { take: (work: () => void) => work() } as Transactions, // the only member that alarms use
    isComplete: () => true,
    openRuns: () => new Set(),
    hasRuns: () => false,
    stopRuns: () => {},
    neededHomes: () => [],
    tellRuns: () => {},
    fault: (error) => faults.push(error)
  })
  await eventually('the engine is connected', () => (bus.state === 'connected' ? true : undefined))
  const workers: Program[] = []
  return {
    home,
    registry,
    room,
    coordinator,
    brokerPid: join(home, 'data', 'broker', 'nats.pid'),
    worker(folder, id, argv = [], { near, env = {} } = {}) {
      const words = near ? argv : [...argv, '--worker.coordinators', `127.0.0.1:${port}`]
      const one = program(folder, { ENGINE_HOME: folder, ...env }, 'worker', '--json', '-w', id, ...words)
      workers.push(one)
      return one
    },
    async close() {
      for (const { child } of workers) child.kill('SIGKILL')
      await room.close()
      await bus.close()
      await store.root.close()
      first.child.kill('SIGTERM')
      const code = await first.code
      if (faults.length > 0) throw faults[0]
      return code
    }
  }
}

const ownCertificate = ({ ENGINE_PEER_CERT_FILE: certFile = '', ENGINE_PEER_KEY_FILE: keyFile = '' }) => ({
  certFile,
  keyFile
})
