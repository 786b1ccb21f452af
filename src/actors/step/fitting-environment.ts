/** The variables of a step that fit into the environment of a process. The others can still be inserted into texts. */
import { isTooLong } from '../../definition/shell/longest-text.ts'
import type { Lookup } from '../../definition/text/lookup.ts'

// D16, D43: large values are limited
/** Leaves out variables that do not fit, so that a step that does not use them does not fail. Returns the same map when all fit. */
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
