/** Packages that an executor needs and that may not be there: npm leaves them out with `--omit=optional`. Source: embedding 5. */
import { createRequire } from 'node:module'
import { codeOf } from '../../errors.ts'

/** By executor type, as `package.json` has them. All other packages are inside. */
const NEEDED: Readonly<Record<string, string>> = { jq: 'jq-wasm@3.0.0-jq-1.8.2' }

/** A package that is there stays there; a missing one is looked for again, since it may be installed meanwhile. */
const found = new Set<string>()

function isInstalled(name: string): boolean {
  if (found.has(name)) return true
  try {
    createRequire(import.meta.url).resolve(name)
  } catch (error) {
    if (codeOf(error) === 'MODULE_NOT_FOUND') return false
  }
  found.add(name)
  return true
}

// D1095: what `npm install` brings is all there is to install
/** What is wrong with an executor type here: nothing, or a sentence that says what to install. */
export function packageProblem(type: string, isThere = isInstalled): string | undefined {
  const wanted = Object.hasOwn(NEEDED, type) ? NEEDED[type] : undefined
  const name = wanted?.replace(/(?<=.)@.*/, '')
  if (name === undefined || isThere(name)) return undefined
  return `executor type "${type}" needs the package ${name}, which is not installed: npm install ${wanted}`
}
