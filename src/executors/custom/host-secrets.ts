/** Secrets that the host application knows: `provider: host`. Source: docs/secrets.md. */
import type { RunKey } from '../../../machines/vocabulary.ts'

/** What a host application is asked for. */
export interface SecretRequest {
  /** Variable that the value is for. */
  name: string
  /** As in the definition. */
  key: string
  /** As in the definition, without `timeoutSec`; empty: there are none. */
  options: Readonly<Record<string, string>>
  run: RunKey
  /** Aborts when the run is to stop, or the time is over. */
  signal: AbortSignal
}
/** The value of a secret; nothing: it has none. What it throws fails the run, with its message. */
export type HostSecrets = (request: SecretRequest) => string | undefined | Promise<string | undefined>
