/** The packaged program: its modules in parts, and these in a few files, of which a command reads those that it needs. */
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { type Compiled, compile, keep } from './compiled.ts'

/** A part as a function, whose `require` knows the others by name. */
type Part = (exports: object, require: NodeJS.Require, module: { exports: object }) => void

export interface Program {
  /** Runs a part, and with it those that it requires, each once. @returns what it exports */
  load(name: string): object
  /** Keeps the code that was compiled until now. @param all also where there was some */
  keep(all?: boolean): void
}

/** In this order: most commands need only the first ones (`packs.mjs`). */
const FILES = ['main.cjs', 'reading.cjs', 'definitions.cjs', 'running.cjs']

// D1703: a command reads the part of the program that it needs
export function programIn(folder: string): Program {
  const files: (Compiled & { file: string })[] = []
  const parts = new Map<string, Part>()
  const loaded = new Map<string, { exports: object }>()
  const outside = createRequire(join(folder, 'main.cjs'))
  const require = Object.assign((id: string) => (id.startsWith('./') ? load(id.slice(2)) : outside(id)), outside)

  function load(name: string): object {
    const known = loaded.get(name)
    if (known) return known.exports
    const module = { exports: {} }
    loaded.set(name, module)
    partNamed(name)(module.exports, require, module)
    return module.exports
  }

  function partNamed(name: string): Part {
    const part = parts.get(name)
    if (part) return part
    const next = FILES[files.length]
    if (next === undefined) throw new Error(`${folder}: wanted ${name}, which is in none of its files`)
    const file = join(folder, next)
    const compiled = compile(file)
    files.push({ ...compiled, file })
    const module: { exports: Record<string, Part> } = { exports: {} }
    compiled.script.runInThisContext()(module.exports, require, module, file, folder)
    for (const [name, part] of Object.entries(module.exports)) parts.set(name, part)
    return partNamed(name)
  }

  return {
    load,
    keep(all = false) {
      for (const { file, script, wanted } of files) if (all || wanted) keep(file, script)
    }
  }
}
