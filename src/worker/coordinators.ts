/**
 * Where a worker finds the message bus, and how it signs in there. Asked before each attempt to connect: the coordinator of its home may
 * come later, or come back elsewhere. Source: distribution 6, 8.
 */
import { coordinatorIn } from '../bus/address-file.ts'
import { readKeyFile } from '../bus/key-file.ts'
import type { BusTls, NatsServers } from '../bus/nats.ts'
import type { Coordination } from '../config.ts'
import { isLoopback } from '../platform/loopback.ts'

/**
 * @throws Error of the file system: the address file of the home belongs to somebody else
 * @throws TroupeError bad_request: its key cannot be read; it may have been replaced since the last connection
 */
export function serversFor({ worker, nats, registryDir, host, port, peer }: Coordination): NatsServers {
  const { keyFile } = worker
  const token = peer.token === '' ? {} : { user: 'worker', password: peer.token }
  const signedIn = keyFile === '' ? token : { seed: readKeyFile(keyFile).seed }
  const given = worker.coordinators.length > 0 ? worker.coordinators : nats
  if (given.length > 0) return { servers: given, ...signedIn, ...secured(given, peer) }
  const own = coordinatorIn(registryDir)
  const servers = [here(own ?? { host, port })]
  if (!own) return { servers, ...signedIn, ...secured(servers, peer) }
  const tls = own.certFile === '' ? {} : { tls: { ...certificate(peer), caFiles: [own.certFile], anyName: true } }
  return { servers, ...signedIn, ...tls }
}

/** From this machine: a coordinator that listens everywhere listens on loopback, too. */
function here({ host, port }: { host: string; port: number }): string {
  const name = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  return `${name.includes(':') ? `[${name}]` : name}:${port}`
}

type Peer = Coordination['peer']

// D997: both ends refuse to speak openly beyond loopback, not the coordinator alone
/** Beyond loopback nothing is said without TLS, the token least of all, unless `peer.insecure` is written out. */
function secured(servers: readonly string[], peer: Peer): { tls?: BusTls } {
  const { insecure, certFile, clientCaFile, skipTlsVerify } = peer
  const isAsked = servers.some((server) => server.startsWith('tls://'))
  const isNamed = certFile !== '' || clientCaFile !== '' || (skipTlsVerify && insecure !== true)
  const isFar = insecure === undefined && !servers.every((server) => isLoopback(hostOf(server)))
  if (!isAsked && !isNamed && !isFar && insecure !== false) return {}
  return {
    tls: {
      ...certificate(peer),
      ...(clientCaFile === '' ? {} : { caFiles: [clientCaFile] }),
      ...(skipTlsVerify ? { anyCertificate: true } : {})
    }
  }
}

const hostOf = (server: string) =>
  server
    .replace(/^\w+:\/\//, '')
    .replace(/:\d+$/, '')
    .replace(/^\[|\]$/g, '')
const certificate = ({ certFile, keyFile }: Peer): BusTls => (certFile === '' ? {} : { certFile, keyFile })
