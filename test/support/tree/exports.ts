/** What files export, and which of it nobody imports. */
import { posix } from 'node:path'
import type { Source } from './imports.ts'

/** Files whose exports are for users of the package. */
const DOORS = ['src/index.ts', 'src/http/index.ts', 'src/client/index.ts']

const DECLARED = /^export (?:declare )?(?:async )?(?:abstract )?(?:const|let|function\*?|class)\s+(\w+)/gm
/** `import { a, type B as C } from './x.ts'`, also of types, and the same with `export`. */
const NAMED = /^(?:import|export)\s+(?:type\s+)?\{([^}]*)\}\s+from\s+['"]([^'"]+)['"]/gm
/** All of a file: `import * as x from`, `export * from`, `import('./x.ts')`. */
const WHOLE = /(?:^(?:import|export)\s+(?:type\s+)?\*[^'"]*from\s+|\bimport\s*\(\s*)['"]([^'"]+)['"]/gm

/** Values that a file exports and no other file imports, as `path: name`. @param users files that may import them, these included */
export function unusedExports(all: Source[], users: Source[]): string[] {
  const used = new Set<string>()
  const whole = new Set<string>()
  for (const { path, text } of users) {
    const fileOf = (from: string) => sourceOf(posix.join(posix.dirname(path), from))
    for (const [, names = '', from = ''] of text.matchAll(NAMED))
      for (const name of names.split(',')) used.add(`${fileOf(from)}: ${nameIn(name)}`)
    for (const [, from = ''] of text.matchAll(WHOLE)) whole.add(fileOf(from))
  }
  return all.flatMap(({ path, text }) =>
    DOORS.includes(path) || whole.has(path)
      ? []
      : Array.from(text.matchAll(DECLARED), ([, name]) => `${path}: ${name}`).filter((one) => !used.has(one))
  )
}

const nameIn = (written: string) =>
  written
    .trim()
    .replace(/^type\s+/, '')
    .split(/\s+as\s+/)[0] ?? ''
/** A module of the build is imported as what the compiler wrote. */
const sourceOf = (path: string) => path.replace(/^dist\//, '').replace(/\.js$/, '.ts')
