/** What holds steps where the native launcher cannot run: shells that hold one step each, and the process that makes them. */
import { readFileSync } from 'node:fs'

/** Texts of `spawner.sh` and `supervisor.sh`; the build puts these files beside this one. */
export interface Programs {
  spawner: string
  supervisor: string
}

const textOf = (file: string): string => readFileSync(new URL(file, import.meta.url), 'utf8')

// D958
/** Read once, when they are first needed: another release may lie there by the time the folder has to be made again. */
export const readPrograms = (): Programs => ({ spawner: textOf('./spawner.sh'), supervisor: textOf('./supervisor.sh') })
