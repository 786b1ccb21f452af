/** Where an engine finds the servers of its bus, and how it gets in there. Source: distribution 6, 8. */
import { type CoordinatorAddress, coordinatorIn } from './address-file.ts'
import type { BusTls, NatsServers } from './nats.ts'

/** Settings of the engine. Paths are absolute, or empty. */
export interface EngineBusSettings {
  nats: readonly string[]
  cluster: string
  /** Folder of the address file. */
  registryDir: string
  peer: {
    insecure: boolean | undefined
    certFile: string
    keyFile: string
    clientCaFile: string
    skipTlsVerify: boolean
    token: string
  }
}

const NONE = 'this home has no coordinator: start one with troupe coordinator'

// D994: the engine finds the coordinator by the address file of its home, or servers of the operator by `coordinator.nats`
/** Servers of the operator, else that of the coordinator of this home. @throws Error there is none now, as a sentence */
export function engineServers(settings: EngineBusSettings): NatsServers {
  const { nats, cluster, registryDir, peer } = settings
  if (nats.length > 0) {
    const tls = operatorTls(peer)
    return { servers: nats, ...signedIn(peer.token), ...(tls ? { tls } : {}) }
  }
  const found = coordinatorIn(registryDir)
  if (!found) throw new Error(NONE)
  // The server of another cluster would carry nothing of this one, without a word.
  if (found.cluster !== cluster)
    throw new Error(
      `the coordinator of this home serves the cluster ${found.cluster}, and coordinator.cluster is ${cluster}: start it again with that`
    )
  const tls = found.certFile === '' ? undefined : { caFiles: [found.certFile], anyName: true, ...ownCertificate(peer) }
  return { servers: [hereOf(found)], ...signedIn(found.password), ...(tls ? { tls } : {}) }
}

const signedIn = (password: string) => (password === '' ? {} : { user: 'engine', password })

/** From this machine: a coordinator that listens everywhere listens on loopback, too. */
function hereOf({ host, port }: CoordinatorAddress): string {
  const here = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  return `${here.includes(':') ? `[${here}]` : here}:${port}`
}

const ownCertificate = ({ certFile, keyFile }: EngineBusSettings['peer']) =>
  certFile === '' ? {} : { certFile, keyFile }

function operatorTls(peer: EngineBusSettings['peer']): BusTls | undefined {
  const { insecure, certFile, clientCaFile, skipTlsVerify } = peer
  if (insecure !== false && certFile === '' && clientCaFile === '' && !skipTlsVerify) return undefined
  return {
    ...(clientCaFile === '' ? {} : { caFiles: [clientCaFile] }),
    ...ownCertificate(peer),
    ...(skipTlsVerify ? { anyCertificate: true } : {})
  }
}
