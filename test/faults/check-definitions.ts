/** Whether the definitions that a script has made, changed and removed are whole, and are there or not. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Script } from './script.ts'
import type { Findings } from './suite.ts'

/** Source: P6: a definition is whole, and what was acknowledged of it holds. */
export function checkDefinitions(home: string, { texts, wanted }: Script, findings: Findings): void {
  for (const name of ['made', 'renamed']) {
    const path = join(home, 'dags', `${name}.yaml`)
    const isThere = existsSync(path)
    if (isThere) {
      const text = readFileSync(path, 'utf8')
      findings.check(texts.includes(text), 'P6', `definition ${name} is half written: ${text.slice(0, 80)}`)
    }
    const is = wanted.get(name)
    if (is !== undefined)
      findings.check(is === isThere, 'P6', `definition ${name} ${is ? 'is missing' : 'is still there'}`)
  }
}
