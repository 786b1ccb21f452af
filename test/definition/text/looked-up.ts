/** Variables to expand texts with, and what became of them. */
import type { Lookup } from '../../../src/definition/text/lookup.ts'
import { expandField } from '../../../src/definition/text/variables.ts'

/** A lookup of variables, with what it warned of and what commands it ran. */
export function lookup(
  values: Record<string, string>,
  steps: Record<string, ReturnType<NonNullable<Lookup['step']>>> = {}
) {
  const warnings: string[] = []
  const ran: string[] = []
  const look: Lookup = {
    variable: (name) => (Object.hasOwn(values, name) ? values[name] : undefined),
    step: (id) => steps[id],
    warn: (message) => warnings.push(message)
  }
  const running: Lookup = {
    ...look,
    substitute: async (command) => {
      ran.push(command)
      return `<${command}>`
    }
  }
  return { look, running, warnings, ran }
}

export const field = (text: string, values: Record<string, string> = {}) => expandField(text, lookup(values).look)
