/** Packages that an executor needs and that may not be there: npm leaves them out with `--omit=optional`. Source: embedding 5. */
import { createRequire } from 'node:module'
import { codeOf } from '../../errors.ts'

/** By executor type, as `package.json` has them. All other packages are inside. */
const NEEDED: Readonly<Record<string, string>> = { jq: 'jq-wasm@3.0.0-jq-1.8.2' }

/** A package that is there stays there; a missing one is looked for again, since it may be installed meanwhile. */
const found = new Set<string>()

// D1095
/** What is wrong with an executor type here: nothing, or a sentence that says what to install. */
export function packageProblem(type: string, lookUp = createRequire(import.meta.url).resolve): string | undefined {
  const wanted = Object.hasOwn(NEEDED, type) ? NEEDED[type] : undefined
  if (wanted === undefined || found.has(wanted)) return undefined
  const name = wanted.replace(/(?<=.)@.*/, '')
  try {
    lookUp(name)
  } catch (error) {
    if (codeOf(error) === 'MODULE_NOT_FOUND')
      return `executor type "${type}" needs the package ${name}, which is not installed: npm install ${wanted}`
  }
  found.add(wanted)
  return undefined
}
