/** What of a step's variables a process can be given. The others can still be put into texts. */
import { isTooLong } from '../../definition/shell/longest-text.ts'
import type { Lookup } from '../../definition/text/lookup.ts'

// D16, D43
/** Variables that do not fit are left out, so that they fail no step that does not use them. The same map when all fit. */
export function fittingEnvironment(all: Record<string, string>, warn?: Lookup['warn']): Record<string, string> {
  let env = all
  for (const name of Object.keys(all)) {
    const reason = misfit(name, all[name] ?? '')
    if (reason === undefined) continue
    if (env === all) env = Object.assign(Object.create(null), all)
    delete env[name]
    warn?.(`${name} ${reason}`)
  }
  return env
}

function misfit(name: string, value: string): string | undefined {
  if (isTooLong(name, '=', value)) return 'is too large for the environment of a process'
  if (value.includes('\0')) return 'holds a NUL character, and is not in the environment of a process'
  return undefined
}
