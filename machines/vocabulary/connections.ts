/** What a plan says of mail, ssh, containers, registries, secrets, traces. Source: definition-format "DAG-level fields". No logic. */
import type { EnvEntry } from './values.ts'

export type SecretProvider = 'env' | 'file' | 'command' | 'host'

/** A secret: where its value comes from, never the value. Source: execution-semantics 14.4. */
export interface Secret {
  name: string
  provider: SecretProvider
  key: string
  /** Options of `command`: `cacheSec`, `timeoutSec`; of `host`: `timeoutSec`, and what the application reads. */
  options?: Record<string, string>
}

/** Which of the two mails of a definition: `errorMail` or `infoMail`. */
export type MailKind = 'error' | 'info'

/** `errorMail`, `infoMail`; texts unexpanded. Source: execution-semantics 14.3. */
export interface MailTarget {
  from: string
  to: string[]
  prefix: string
  attachLogs: boolean
}

export interface Smtp {
  host: string
  port: string
  username: string
  password: string
}

/** Source: execution-semantics 10.3. */
export interface SshTarget {
  user: string
  host: string
  port: string
  key?: string
  password?: string
  strictHostKey: boolean
  knownHostFile?: string
}

/** DAG-level `container`; texts unexpanded. Source: definition-format "DAG-level container keys", execution-semantics 10.2. */
export interface Container {
  image: string
  name?: string
  pull: 'always' | 'missing' | 'never'
  env: EnvEntry[]
  volumes: string[]
  ports: string[]
  user?: string
  workingDir?: string
  platform?: string
  network?: string
  keepContainer: boolean
  startup: 'keepalive' | 'entrypoint' | 'command'
  command: string[]
  waitFor: 'running' | 'healthy'
  logPattern?: string
  restartPolicy?: string
}

/**
 * By registry host, or a whole Docker configuration as text. `auth` is base64, or JSON as text where the host has only a string.
 * Source: execution-semantics 10.2.30.
 */
export type RegistryAuths = string | Record<string, { username?: string; password?: string; auth?: string }>

/** Source: execution-semantics 14.5. */
export interface Otel {
  enabled: boolean
  endpoint: string
  headers: Record<string, string>
  insecure: boolean
  timeoutMs: number
  resource: Record<string, string>
}
