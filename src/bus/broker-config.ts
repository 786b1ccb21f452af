/** The configuration of the NATS server that a coordinator starts. Source: distribution 6 (token). */
import { subjectsOf } from './messages.ts'

export interface BrokerOptions {
  host: string
  port: number
  /** First word of the subjects. */
  cluster: string
  /** For workers; empty: whoever reaches it may say anything, so it listens on loopback only. */
  token: string
  /** Paths of certificate and key, and of the authority of clients, which then need a certificate. */
  tls?: { certFile: string; keyFile: string; clientCaFile?: string }
}

/** What a message may have besides its text. */
const MOST_PAYLOAD = 576 * 1024

/** @param engine password of the engine, which may say and hear everything of its cluster */
export function brokerConfig(
  { host, port, cluster, token, tls }: BrokerOptions,
  engine: string,
  pidFile: string
): string {
  const { ofWorkers, all } = subjectsOf(cluster)
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
  if (token !== '') {
    const worker = `permissions: { publish: ${list([...ofWorkers.says])}, subscribe: ${list(ofWorkers.hears)} }`
    lines.push(
      'authorization {',
      '  users: [',
      `    { user: engine, password: ${quoted(engine)}, permissions: { publish: ${list([all])}, subscribe: ${list([all])} } }`,
      `    { user: worker, password: ${quoted(token)}, ${worker} }`,
      '  ]',
      '}'
    )
  }
  if (tls) {
    const { certFile, keyFile, clientCaFile } = tls
    const clients = clientCaFile ? ` ca_file: ${quoted(clientCaFile)}, verify: true,` : ''
    lines.push(`tls { cert_file: ${quoted(certFile)}, key_file: ${quoted(keyFile)},${clients} timeout: 5 }`)
  }
  return `${lines.join('\n')}\n`
}

const list = (subjects: string[]) => `[${subjects.map(quoted).join(', ')}]`
/** Its only escapes besides `\xHH` are those of these two characters. */
const quoted = (text: string) => `"${text.replace(/[\\"]/g, '\\$&')}"`
