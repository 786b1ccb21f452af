/**
 * Where secrets come from that are neither in a variable nor in a file: a program prints them (`provider: command`), or the host
 * application knows them (`provider: host`). Source: docs/secrets.md.
 */
import type { RunKey, Secret } from '../../../../machines/vocabulary.ts'
import { type Clock, systemClock } from '../../../clock.ts'
import type { HostSecrets } from '../../../executors/custom/host-secrets.ts'
import { printedBy, type SecretProgram } from './secret-program.ts'

/** Where a program runs that prints a secret. */
export type SecretPlace = Omit<SecretProgram, 'command'> & { run: RunKey }

/** Providers of one engine or worker. */
export interface SecretProviders {
  /** @throws Error why there is no value: what was tried, and what helps; never a value */
  valueOf(secret: Secret, place: SecretPlace): Promise<string>
}

/** How long a value may be waited for, seconds, without `timeoutSec`. */
const TIMEOUT_SEC = 30
/** Values that are remembered; the oldest goes first. */
const MOST_KEPT = 1_000

// D1425: secrets that a program prints, and one function of the host application
/**
 * @param host of the application; absent: it has none
 * @param run runs the program instead of the shell: of a test engine
 */
export function openSecretProviders({
  host,
  clock = systemClock,
  run = printedBy
}: {
  host?: HostSecrets | undefined
  clock?: Clock
  run?: (program: SecretProgram) => Promise<string>
} = {}): SecretProviders {
  /** By command, place and variables: what a program printed, and until when that counts. */
  const kept = new Map<string, { until: number; value: string }>()

  async function fromProgram({ key: command, options = {} }: Secret, { run: _, ...place }: SecretPlace) {
    const cacheMs = Number(options.cacheSec ?? 0) * 1_000
    if (cacheMs === 0) return run({ ...place, command })
    const id = JSON.stringify([command, place.cwd, place.own])
    const known = kept.get(id)
    if (known && clock.now() < known.until) return known.value
    const value = await run({ ...place, command })
    kept.delete(id)
    kept.set(id, { until: clock.now() + cacheMs, value })
    for (const oldest of kept.keys()) {
      if (kept.size <= MOST_KEPT) break
      kept.delete(oldest)
    }
    return value
  }

  async function fromHost({ name, key, options = {} }: Secret, { run, signal }: SecretPlace): Promise<string> {
    if (!host)
      throw new Error(
        'this program was given no `secrets`, which the provider `host` asks: execute the run by the application that has them, or name another provider'
      )
    const { timeoutSec: _, ...asked } = options
    const found: unknown = await host({ name, key, options: asked, run, signal })
    if (typeof found === 'string') return found
    throw new Error(
      found === undefined || found === null
        ? `the application has no secret ${key}`
        : `the application gave no text for ${key}, but ${typeof found}`
    )
  }

  return {
    async valueOf(secret, place) {
      const limitSec = Number(secret.options?.timeoutSec ?? TIMEOUT_SEC)
      const over = new AbortController()
      const signal = AbortSignal.any([place.signal, over.signal])
      const aborted = new Promise<never>((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason), { once: true })
        if (signal.aborted) reject(signal.reason)
      })
      const cancel = clock.after(limitSec * 1_000, () =>
        over.abort(new Error(`it took longer than ${limitSec} s; give it another options.timeoutSec`))
      )
      const asked = secret.provider === 'host' ? fromHost : fromProgram
      try {
        return await Promise.race([asked(secret, { ...place, signal }), aborted])
      } catch (error) {
        throw over.signal.aborted ? over.signal.reason : error
      } finally {
        cancel()
      }
    }
  }
}
