/** What is known of one setting. */
import type { Type } from './types.ts'

export interface Row<T> {
  type: Type<T>
  /** Paths may begin with `{home}`, `{logDir}` or `{dataDir}`. Undefined: worked out, as `worked` says. */
  standard: T | undefined
  worked?: string
  /** Name in the environment after `ENGINE_`, where it does not follow from the key: `auth.oidc.clientId` is `AUTH_OIDC_CLIENT_ID`. */
  env?: string
  /** No variable sets it. */
  onlyInFile?: true
  /** Another name in the environment. */
  envAlias?: string
  /** Flag of the command line. */
  flag?: string
  /** Spellings of older configuration files. */
  old?: string[]
  /** Never shown. */
  secret?: true
  /** Never stands in the file. */
  outside?: true
  /** Accepted without any effect; a warning says why. */
  unused?: string
  /** Nothing reads it yet: anything but the default is refused when an engine opens. */
  later?: true
  help: string
}

export const row = <T>(
  type: Type<T>,
  standard: NoInfer<T> | undefined,
  help: string,
  rest: Omit<Row<T>, 'type' | 'standard' | 'help'> = {}
) => ({ ...rest, type, standard, help })
