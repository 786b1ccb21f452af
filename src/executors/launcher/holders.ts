/** Who starts jobs and holds their processes, so that these outlive the engine: the native launcher, or step supervisors where it cannot run. */
import type { Clock } from '../../clock.ts'
import type { Holders, Listener } from './holder.ts'
import { openNativeLauncher } from './native/native-launcher.ts'
import { openPool } from './portable/pool.ts'

// D54
/**
 * @param native path of the native launcher; undefined: supervisors do
 * @param environment of holders: what may reach a step
 * @param warn told when the native launcher turns out not to run here
 */
export function openHolders(
  native: string | undefined,
  folder: string,
  environment: Record<string, string>,
  listener: Listener,
  warn: (text: string) => void,
  clock: Clock
): Holders {
  if (!native) return openPool(folder, environment, listener, clock)
  let portable: Holders | undefined
  const launcher = openNativeLauncher(native, folder, environment, listener, (cause) => {
    warn(
      `the native launcher ${native} cannot run here (${cause.message}): steps are started by shells, at a higher cost`
    )
    portable = openPool(folder, environment, listener, clock)
    listener.quiet()
  })
  const inUse = () => portable ?? launcher
  return {
    get checkMs() {
      return inUse().checkMs
    },
    take: () => inUse().take(),
    ask: (jobs) => inUse().ask(jobs),
    check: () => inUse().check(),
    renew: () => inUse().renew(),
    close() {
      launcher.close()
      portable?.close()
    }
  }
}
