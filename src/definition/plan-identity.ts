/** What makes two plans the same, however they were written: in code, or in YAML. Source: docs/embedding/upgrades.md. */
import { createHash } from 'node:crypto'
import type { Plan } from '../../machines/vocabulary.ts'

/** Length of a short version, when a definition names none. */
const SHORT = 12

// D1141: `planHash` is that of the plan that a text alone says
/** The identity of a text that was read without a base file. Where the text lies does not count. */
export function planIdentity(plan: Plan): string {
  return createHash('sha256')
    .update(JSON.stringify(placeless(plan)))
    .digest('base64url')
}

const placeless = ({ sourceDir: _, home: _home, release: _release, locals, ...plan }: Plan): object => ({
  ...plan,
  locals: locals.map(placeless)
})

/** The version of a definition that names none follows from its plan. */
export const versionOf = ({ version }: Pick<Plan, 'version'>, identity: string): string =>
  version ?? identity.slice(0, SHORT)
