/** Executor types that host applications registered with this home, for programs that lack them. Source: docs/executors/custom.md. */
import type { Store } from './open.ts'

/** Prefix of entries in the table `meta`, next to those of the store itself. */
const PREFIX = 'executor/'

export const knownExecutors = ({ meta }: Pick<Store, 'meta'>): string[] =>
  Array.from(meta.getKeys()).flatMap((key) => (key.startsWith(PREFIX) ? [key.slice(PREFIX.length)] : []))

// D141: a program without an application's executors does not fail its steps
/** For the owner of the home. */
export function rememberExecutors({ meta }: Pick<Store, 'meta'>, types: readonly string[]): void {
  for (const type of types) if (!meta.doesExist(PREFIX + type)) meta.putSync(PREFIX + type, 1)
}
