/** Decides who may connect to a broker, before it starts. Source: distribution 6; api-semantics 7.2 (who may connect). */
import { TroupeError } from '../errors.ts'
import { isLoopback } from '../platform/loopback.ts'

export interface Admission {
  host: string
  token: string
  /** Workers have been enrolled: only keys and the token let anybody in. */
  hasKeys: boolean
  certFile: string
  /** Undefined: nobody has written it out. */
  insecure: boolean | undefined
}

// D997: both ends refuse to speak openly beyond loopback, not the coordinator alone
/** @throws TroupeError bad_request: strangers could connect, or read along */
export function refuseOpen({ host, token, hasKeys, certFile, insecure }: Admission): void {
  const missing: string[] = []
  const isFar = !isLoopback(host)
  if (isFar && token === '' && !hasKeys)
    missing.push(
      'give each worker a key (troupe worker enroll), or set peer.token (ENGINE_PEER_TOKEN), a credential that all of them share'
    )
  if (certFile === '' && (insecure === false || (isFar && insecure === undefined)))
    missing.push(
      'set peer.certFile and peer.keyFile for TLS, or write peer.insecure: true (--peer.insecure) to do without it'
    )
  if (missing.length === 0) return
  const why = isFar ? `other machines can reach a coordinator on ${host}` : 'peer.insecure is false'
  throw new TroupeError('bad_request', `${why}: ${missing.join('; ')}`)
}
