/** What the launcher runs that is no JavaScript: shells that hold one step each and the process that makes them, and a holder of many steps. */
import { readFileSync } from 'node:fs'

/** Texts of `mother.sh`, `keeper.sh` and `warden.pl`; the build puts these files beside this one. */
export interface Programs {
  mother: string
  keeper: string
  warden: string
}

const textOf = (file: string): string => readFileSync(new URL(file, import.meta.url), 'utf8')

// D958
/** Read once, when an engine begins: another release may lie there by the time its folder has to be made again. */
export const readPrograms = (): Programs => ({
  mother: textOf('./mother.sh'),
  keeper: textOf('./keeper.sh'),
  warden: textOf('./warden.pl')
})
