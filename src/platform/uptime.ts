/** The clock of this boot, which nobody sets and which counts sleep. Source: distribution 5. */
import { readFileSync } from 'node:fs'

/** Milliseconds since boot, to hundredths of a second. @throws Error where there is no `/proc` */
export const uptimeMs = (): number => Math.round(Number.parseFloat(readFileSync('/proc/uptime', 'latin1')) * 1_000)
