/** Starts the broker of a home as its settings say. Source: distribution 0.4, 6, 8. */
import { accessSync, constants } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { refuseOpen } from '../../../bus/admission.ts'
import { type Broker, guardBroker } from '../../../bus/broker.ts'
import { enrolmentIn } from '../../../bus/enrolment.ts'
import type { Clock } from '../../../clock.ts'
import type { Config } from '../../../config.ts'
import { codeOf, TroupeError } from '../../../errors.ts'
import type { Log } from '../../../log.ts'
import { isLoopback } from '../../../platform/loopback.ts'

export interface HomeBroker extends Broker {
  /** Such as `box:50055`: for workers on other machines. */
  advertised: string
}

/** @throws TroupeError bad_request: settings do not fit together; service_unavailable: it does not start */
export async function startBroker(config: Config, clock: Clock, log: Log): Promise<HomeBroker> {
  const { dataDir, environment, coordination } = config
  const { host, port, cluster, registryDir, enrolmentFile, nats, peer } = coordination
  if (nats.length > 0)
    throw new TroupeError(
      'bad_request',
      `coordinator.nats names servers of your own (${nats.join(', ')}): there is nothing to start`
    )
  if (port === 0) throw new TroupeError('bad_request', 'coordinator.port is 0: wanted a port for workers')
  const { token, certFile, keyFile, clientCaFile } = peer
  refuseOpen({ host, token, certFile, insecure: peer.insecure, hasKeys: enrolmentIn(enrolmentFile) !== undefined })
  for (const [key, file] of Object.entries({ certFile, keyFile, clientCaFile })) refuseUnreadable(key, file)
  const tls = { certFile, keyFile, ...(clientCaFile === '' ? {} : { clientCaFile }) }
  const advertise = coordination.advertise || (isLoopback(host) ? host : hostname())
  const broker = await guardBroker({
    host,
    port,
    cluster,
    token,
    advertise,
    environment,
    clock,
    log,
    ...(certFile === '' ? {} : { tls }),
    folder: join(dataDir, 'broker'),
    registry: registryDir,
    enrolmentFile
  })
  if (token !== '')
    log.info('all workers with peer.token share it: each of them can speak for all others; a key of its own is better')
  return { ...broker, advertised: `${advertise.includes(':') ? `[${advertise}]` : advertise}:${port}` }
}

function refuseUnreadable(key: string, file: string): void {
  try {
    if (file !== '') accessSync(file, constants.R_OK)
  } catch (cause) {
    const found = codeOf(cause) === 'ENOENT' ? 'none' : `one that cannot be read (${codeOf(cause)})`
    throw new TroupeError('bad_request', `peer.${key}: wanted a file at ${file}, found ${found}`, { cause })
  }
}
