/** The configuration of the NATS server that a coordinator starts. Source: distribution 6 (token, keys). */
import type { Enrolled } from './enrolment.ts'
import { subjectsOf } from './messages.ts'

export interface BrokerOptions {
  host: string
  port: number
  /** First word of the subjects. */
  cluster: string
  /** For workers; empty: everybody who reaches it may say anything, so it listens on loopback only. */
  token: string
  /** Paths of certificate and key, and of the authority of clients, which then need a certificate. */
  tls?: { certFile: string; keyFile: string; clientCaFile?: string }
}

/** Size of a message with what it may have besides its text. */
const MOST_PAYLOAD = 576 * 1024

/** What is enrolled: a worker with a key that counts gets in. */
export type Keys = readonly Pick<Enrolled, 'home' | 'publicKey' | 'revokedAt'>[]

// D1021: the first key closes a coordinator for everybody without a credential, for good
/**
 * @param engine password of the engine, which may say and hear everything of its cluster
 * @param keys undefined: nobody was ever enrolled
 */
export function brokerConfig(
  { host, port, cluster, token, tls }: BrokerOptions,
  engine: string,
  pidFile: string,
  keys?: Keys
): string {
  const lines = [
    `host: ${quoted(host)}`,
    `port: ${port}`,
    `pid_file: ${quoted(pidFile)}`,
    `max_payload: ${MOST_PAYLOAD}`,
    // A frozen client is noticed after two of them.
    'ping_interval: "2s"',
    'ping_max: 2',
    'logtime: false'
  ]
  if (token !== '' || keys)
    lines.push('authorization {', '  users: [', ...usersOf(cluster, token, engine, keys), '  ]', '}')
  if (tls) {
    const { certFile, keyFile, clientCaFile } = tls
    const clients = clientCaFile ? ` ca_file: ${quoted(clientCaFile)}, verify: true,` : ''
    lines.push(`tls { cert_file: ${quoted(certFile)}, key_file: ${quoted(keyFile)},${clients} timeout: 5 }`)
  }
  return `${lines.join('\n')}\n`
}

function usersOf(cluster: string, token: string, engine: string, keys: Keys = []): string[] {
  const { ofWorkers, ofWorker, all } = subjectsOf(cluster)
  const everything = `permissions: { publish: ${list([all])}, subscribe: ${list([all])} }`
  return [
    `    { user: engine, password: ${quoted(engine)}, ${everything} }`,
    ...(token === '' ? [] : [`    { user: worker, password: ${quoted(token)}, ${rightsOf(ofWorkers)} }`]),
    ...keys.flatMap(({ home, publicKey, revokedAt }) =>
      revokedAt === undefined ? [`    { nkey: ${publicKey}, ${rightsOf(ofWorker(home))} }`] : []
    )
  ]
}

/** Rights of a worker. It answers what the engine has asked it, once and in time, and says nothing else to anybody. */
export const rightsOf = ({ says, hears }: { says: readonly string[]; hears: readonly string[] }): string =>
  `permissions: { publish: ${list(says)}, subscribe: ${list(hears)}, allow_responses: { max: 1, expires: "1m" } }`

/** A list in the server's own syntax. */
const list = (subjects: readonly string[]) => `[${subjects.map(quoted).join(', ')}]`
/** A text in that syntax: besides `\xHH` it escapes these two characters only. */
const quoted = (text: string) => `"${text.replace(/[\\"]/g, '\\$&')}"`
