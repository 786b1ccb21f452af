/** How a connection to a NATS server is secured, and what must be right for it. Source: distribution 6. */
import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { checkServerIdentity, type PeerCertificate, rootCertificates } from 'node:tls'
import type { TlsOptions } from '@nats-io/transport-node'
import { codeOf } from '../errors.ts'

/** How a connection is secured. Paths are absolute. */
export interface BusTls {
  /** Authorities of the server's certificate; absent: those of the system. */
  caFiles?: readonly string[]
  /** The authorities of the system count, too. */
  alsoSystem?: boolean
  /** Certificate of this side, for a server that demands one. */
  certFile?: string
  keyFile?: string
  anyCertificate?: boolean
  /** Whatever name it is reached by: it is a server of this machine, and its own certificate is among `caFiles`. */
  anyName?: boolean
}

/** The package hands them to Node's `tls.connect` as they are, which its type does not say. */
export function tlsOptions(tls: BusTls, servers: readonly string[]): TlsOptions {
  const { caFiles = [], alsoSystem, certFile, keyFile, anyCertificate, anyName } = tls
  if (certFile) textOf(certFile, 'peer.certFile')
  if (keyFile) textOf(keyFile, 'peer.keyFile')
  const trusted = (path: string) => textOf(path, anyName ? 'certificate of the coordinator' : 'peer.clientCaFile')
  const all = {
    ...(caFiles.length > 0 ? { ca: [...(alsoSystem ? rootCertificates : []), ...caFiles.map(trusted)] } : {}),
    ...(certFile ? { certFile } : {}),
    ...(keyFile ? { keyFile } : {}),
    ...(anyCertificate ? { rejectUnauthorized: false } : {}),
    checkServerIdentity: anyName ? () => undefined : identityAmong(servers.map(hostOf)),
    // The server's own certificate is known here, and not the authority that has signed it.
    ...(anyName ? { allowPartialTrustChain: true } : {})
  }
  return all as unknown as TlsOptions // its `ca` is one text, Node's a list
}

/** The package names no host when it has reached an address, so that Node would look for `localhost` in the certificate. */
function identityAmong(hosts: readonly string[]) {
  return (host: string, certificate: PeerCertificate): Error | undefined => {
    const reached = hosts.filter((one) => isIP(one) > 0 || one === 'localhost')
    const faults = (host === 'localhost' && reached.length > 0 ? reached : [host]).map((one) =>
      checkServerIdentity(one, certificate)
    )
    return faults.includes(undefined) ? undefined : faults[0]
  }
}
const hostOf = (server: string) =>
  server
    .replace(/^\w+:\/\//, '')
    .replace(/:\d+$/, '')
    .replace(/^\[|\]$/g, '')

/** What is said of a file that is of no use. */
export const WRONG_FILE = /: wanted a PEM file at /

/** @param what it is for @throws Error also for a file that would be passed over without a word */
function textOf(path: string, what: string): string {
  const wanted = `${what}: wanted a PEM file at ${path}`
  try {
    const text = readFileSync(path, 'utf8')
    if (/^-----BEGIN /m.test(text)) return text
  } catch (cause) {
    const code = codeOf(cause)
    throw new Error(`${wanted}, ${code === 'ENOENT' ? 'found none' : `which cannot be read (${code})`}`, { cause })
  }
  throw new Error(`${wanted}, found something else`)
}
