/** One connection to a host, after host key check and login. Source: execution-semantics 10.3.2-10.3.4. */
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Client, ConnectConfig, ServerHostKeyAlgorithm } from 'ssh2'
import { codeOf } from '../../errors.ts'
import { readNamed } from '../frame/named-file.ts'
import type { Credentials } from './credentials.ts'
import { unreadable } from './key-file.ts'
import { complaintAbout, type KnownKey, keysFor } from './known-hosts.ts'

export interface ConnectLimits {
  /** From the first packet to the accepted login, ms. */
  connectMs: number
  /** Interval of keepalives, ms, and how many may stay unanswered. */
  keepaliveMs: number
  keepaliveMissing: number
}

/** Whether the host key must be known, and the file of known keys. */
export interface Trust {
  strictHostKey: boolean
  /** Absolute; absent: `~/.ssh/known_hosts`. */
  knownHostFile?: string
}

/** The name of a host in messages. */
export const machineOf = ({ user, host, port }: Pick<Credentials, 'user' | 'host' | 'port'>): string =>
  `${user}@${host.includes(':') ? `[${host}]` : host}:${port}`

/** @param closing ends the connection or the attempt @throws Error that names the host and the reason, without passwords or keys */
export async function connect(
  credentials: Credentials,
  trust: Trust,
  limits: ConnectLimits,
  closing: AbortSignal
): Promise<Client> {
  const { host, port } = credentials
  const file = trust.knownHostFile ?? join(homedir(), '.ssh', 'known_hosts')
  const known = trust.strictHostKey ? keysFor(await knownHosts(file), host, port) : []
  const { Client: SshClient } = (await import('ssh2')).default
  closing.throwIfAborted()
  const client = new SshClient()
  client.setMaxListeners(0) // each opening session adds a listener
  const destroy = () => client.destroy()
  closing.addEventListener('abort', destroy)
  client.once('close', () => closing.removeEventListener('abort', destroy))
  let complaint: string | undefined
  const checked = (key: Buffer): boolean => {
    complaint = trust.strictHostKey ? complaintAbout(key, known, { host, port, file }) : undefined
    return complaint === undefined
  }
  await new Promise<void>((resolve, reject) => {
    const failed = (error?: Error & { level?: string }) => {
      const reason = complaint ?? reasonOf(credentials, limits, error)
      reject(new Error(`ssh ${machineOf(credentials)}: ${reason}`, { cause: error }))
    }
    client
      .once('ready', resolve)
      .on('error', failed) // also later: the end of the connection is handled elsewhere
      .once('close', () => failed())
      .connect(configOf(credentials, known, checked, limits))
    if (credentials.password !== undefined)
      client.on('keyboard-interactive', (_name, _instructions, _language, prompts, answer) =>
        answer(prompts.map(({ echo }) => (echo ? '' : (credentials.password ?? ''))))
      )
  })
  return client
}

function configOf(
  { user, host, port, privateKey, password }: Credentials,
  known: KnownKey[],
  hostVerifier: (key: Buffer) => boolean,
  limits: ConnectLimits
): ConnectConfig {
  return {
    host,
    port,
    username: user,
    hostVerifier,
    readyTimeout: limits.connectMs,
    keepaliveInterval: limits.keepaliveMs,
    keepaliveCountMax: limits.keepaliveMissing,
    algorithms: hostKeyAlgorithms(known),
    ...(privateKey ? { privateKey, authHandler: ['publickey'] } : {}),
    ...(password === undefined
      ? {}
      : { password, tryKeyboard: true, authHandler: ['password', 'keyboard-interactive'] })
  }
}

const SIGNATURES: Record<string, ServerHostKeyAlgorithm[]> = {
  'ssh-ed25519': ['ssh-ed25519'],
  'ecdsa-sha2-nistp256': ['ecdsa-sha2-nistp256'],
  'ecdsa-sha2-nistp384': ['ecdsa-sha2-nistp384'],
  'ecdsa-sha2-nistp521': ['ecdsa-sha2-nistp521'],
  'ssh-rsa': ['rsa-sha2-512', 'rsa-sha2-256']
}

/** A host has keys of several types, of which only one may be known: that type is requested first. */
export const hostKeyAlgorithms = (known: readonly KnownKey[]): NonNullable<ConnectConfig['algorithms']> => ({
  serverHostKey: { prepend: known.flatMap(({ type }) => SIGNATURES[type] ?? []), append: [], remove: [] }
})

/** A missing file has no keys. */
async function knownHosts(file: string): Promise<string> {
  try {
    return (await readNamed(file)).toString('utf8')
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return ''
    throw new Error(`knownHostFile ${file} cannot be read: ${unreadable(cause)}`, { cause })
  }
}

type ClientError = Error & { level?: string; code?: string }

function reasonOf(
  { user, keyName, keyShownBy }: Credentials,
  { connectMs }: ConnectLimits,
  error?: ClientError
): string {
  if (error?.level === 'client-authentication')
    return keyName === undefined
      ? `the login of ${user} by password was refused: another one is wanted, or that machine takes none`
      : `the login of ${user} by the ${keyName} was refused: the line that ${keyShownBy} shows must stand in the authorized_keys of ${user} there`
  if (error?.level === 'client-timeout') return `no connection within ${connectMs / 1_000}s`
  if (!error) return 'the connection was closed before the login'
  const { code = '', message } = error
  if (message === 'Connection lost before handshake')
    return 'the connection was closed before the login: is it an SSH server that listens there, and is `port` right?'
  return `the connection failed: ${UNREACHED[code] ?? message}`
}

/** Messages for network errors. */
const UNREACHED: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens at this port; is its SSH server running, and is `port` right?',
  EAI_AGAIN: 'its name cannot be looked up; is the network there, and `host` right?',
  EHOSTUNREACH: 'no way leads to it; is it running, and is `host` right?',
  ENETUNREACH: 'no way leads to it; is the network there, and `host` right?',
  ENOTFOUND: 'there is no machine of this name; is `host` right?',
  ETIMEDOUT: 'it does not answer; is it running, and are `host` and `port` right?'
}
