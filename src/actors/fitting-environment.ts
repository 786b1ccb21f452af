/** What of a step's variables a process can be given. The others can still be put into texts. Source: docs/decisions.md D16, D43. */
import { isTooLong } from '../spec/longest-text.ts'
import type { Lookup } from '../spec/variables.ts'

/** Variables that do not fit are left out, so that they fail no step that does not use them. The same map when all fit. */
export function fittingEnvironment(all: Record<string, string>, warn?: Lookup['warn']): Record<string, string> {
  const env: Record<string, string> = Object.create(null)
  let isWhole = true
  for (const [name, value] of Object.entries(all)) {
    const reason = misfit(name, value)
    if (reason) warn?.(`${name} ${reason}`)
    else env[name] = value
    isWhole &&= !reason
  }
  return isWhole ? all : env
}

function misfit(name: string, value: string): string | undefined {
  if (isTooLong(`${name}=${value}`)) return 'is too large for the environment of a process'
  if (value.includes('\0')) return 'holds a NUL character, and is not in the environment of a process'
  return undefined
}
