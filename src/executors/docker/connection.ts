/** The Docker engine to use, and the marks of our containers. The client is loaded on first use. Source: execution-semantics 10.2.1. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import type Docker from 'dockerode'
import type { ConnectConfig } from 'ssh2'
import { type Clock, uuidV7 } from '../../clock.ts'
import { readRegular } from '../../platform/open-regular.ts'
import { hostKeyAlgorithms } from '../ssh/connect.ts'
import { unreadable } from '../ssh/key-file.ts'
import { complaintAbout, keysFor } from '../ssh/known-hosts.ts'

export interface DockerEngine {
  /** The client. It connects with each request. @throws Error when the environment names no usable engine */
  connect(): Promise<Docker>
  /** The mark of this home on its containers, created on first use: the same path may be another home on another machine. */
  owner(): string
  /** Whether this home has ever made a container. */
  used(): boolean
  /** Folder for temporary files while a container is created; may be missing. Its content does not outlive the engine. */
  scratch: string
  /** The environment of the server. */
  environment: Readonly<Record<string, string>>
}

/** Labels of our containers; those of users are never touched. */
export const LABEL = 'troupe.'

// D614: docker: containers carry the id of the home
export function dockerEngine(
  dataDir: string,
  environment: Readonly<Record<string, string>>,
  clock: Clock
): DockerEngine {
  const path = join(dataDir, 'container-owner')
  let client: Promise<Docker> | undefined
  let owner: string | undefined
  return {
    scratch: join(dataDir, 'container-scratch'),
    environment,
    connect: () => {
      client ??= open(environment).catch((error) => {
        client = undefined // the cause may be fixed by then
        throw error
      })
      return client
    },
    used: () => existsSync(path),
    owner() {
      if (!existsSync(path)) writeFileSync(path, uuidV7(clock), { mode: 0o600, flush: true })
      owner ??= readFileSync(path, 'utf8')
      return owner
    }
  }
}

async function open(environment: Readonly<Record<string, string>>): Promise<Docker> {
  const { default: Client } = await import('dockerode')
  return new Client(connectionOptions(environment))
}

type Options = Docker.DockerOptions & { pathPrefix?: string | undefined }

/** Every option is set, even to undefined: the client would read missing ones from the environment of the process. */
export function connectionOptions(environment: Readonly<Record<string, string>>): Options {
  const { DOCKER_HOST: host = '', DOCKER_CERT_PATH: certificates, DOCKER_TLS_VERIFY: verify } = environment
  const options: Options = {
    socketPath: undefined,
    host: undefined,
    port: undefined,
    username: undefined,
    protocol: 'http',
    pathPrefix: '/',
    ca: undefined,
    cert: undefined,
    key: undefined,
    timeout: undefined
  }
  if (host === '' || host.startsWith('unix://'))
    return { ...options, socketPath: host.slice('unix://'.length) || defaultSocket(environment) }
  let url: URL
  try {
    url = new URL(host.includes('://') ? host : `tcp://${host}`)
  } catch (cause) {
    throw new Error('DOCKER_HOST: wanted unix://<socket>, tcp://<host>:<port> or ssh://<user>@<host>', { cause })
  }
  const port = url.port || undefined
  if (url.protocol === 'ssh:') {
    const { SSH_AUTH_SOCK: agent } = environment
    const sshOptions = { ...(agent ? { agent } : {}), ...trusted(url, environment) }
    return { ...options, protocol: 'ssh', host: url.hostname, port, username: url.username || undefined, sshOptions }
  }
  if (!verify && port !== '2376') return { ...options, host: url.hostname, port: port ?? '2375' }
  const pem = (name: string) => (certificates ? pemIn(join(certificates, `${name}.pem`)) : undefined)
  const tls = { ca: pem('ca'), cert: pem('cert'), key: pem('key') }
  return { ...options, protocol: 'https', host: url.hostname, port: port ?? '2376', ...tls }
}

function pemIn(path: string): Buffer {
  try {
    return readRegular(path)
  } catch (cause) {
    const reason = unreadable(cause)
    throw new Error(`DOCKER_CERT_PATH: wanted ca.pem, cert.pem and key.pem in it, ${path} cannot be read: ${reason}`, {
      cause
    })
  }
}

/** Unlike the client by default, and like `ssh`: the host must be known. */
function trusted(
  { hostname, port }: URL,
  { HOME: home = homedir() }: Readonly<Record<string, string>>
): Pick<ConnectConfig, 'hostVerifier' | 'algorithms'> {
  const machine = { host: hostname, port: Number(port || 22), file: join(home, '.ssh', 'known_hosts') }
  const known = () =>
    keysFor(existsSync(machine.file) ? readFileSync(machine.file, 'utf8') : '', machine.host, machine.port)
  return {
    hostVerifier: (key: Buffer) => complaintAbout(key, known(), machine) === undefined,
    algorithms: hostKeyAlgorithms(known())
  }
}

function defaultSocket({ HOME: home }: Readonly<Record<string, string>>): string {
  const own = home && join(home, '.docker', 'run', 'docker.sock')
  return own && existsSync(own) ? own : '/var/run/docker.sock'
}

/** The client returns streams of Node, which its types declare more loosely. */
export const readable = (stream: NodeJS.ReadableStream): Readable => stream as Readable

/** HTTP status of an error; undefined: the Docker engine did not answer. */
export const statusOf = (error: unknown): number | undefined => {
  const { statusCode }: { statusCode?: number } = Object(error)
  return statusCode
}

/** The message of the Docker engine, without the client's prefix. */
export function reasonOf(error: unknown): string {
  const { json, message = String(error) }: { json?: { message?: string }; message?: string } = Object(error)
  const said = json?.message ?? message.replace(/^\(HTTP code \d+\) .*? - /s, '')
  const plain = said.trim()
  if (/Host denied \(verification failed\)/.test(plain))
    return 'the machine of DOCKER_HOST shows a host key that ~/.ssh/known_hosts does not have; compare and accept it with: ssh <its name>'
  return statusOf(error) === undefined && /ECONNREFUSED|ENOENT|EACCES|ENOTFOUND/.test(plain)
    ? `the Docker engine cannot be reached: ${plain}; is it running, and is DOCKER_HOST right?`
    : plain
}
