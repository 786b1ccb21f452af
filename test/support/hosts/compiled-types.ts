/** The programs of `fixtures/hosts/types` as a compiler sees them. */
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const MISUSES = 'misuses.ts'

const compilerOptions = {
  module: 'nodenext',
  target: 'es2022',
  strict: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: false,
  noEmit: true,
  types: ['node']
}

export interface Compiled {
  /** Lines with an error, as `FILE:LINE`, each once. */
  refused: string[]
  /** The lines that follow a `misuse:`. */
  wanted: string[]
  /** What the compiler has printed. */
  printed: string
}

/** @param compiler its program @param folder a copy of the programs, below what has their packages */
export function compiledTypes(compiler: string, folder: string): Compiled {
  const files = readdirSync(folder).filter((name) => name.endsWith('.ts'))
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}')
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }))
  const argv = [compiler, '-p', folder, '--pretty', 'false']
  const { stdout: printed } = spawnSync(process.execPath, argv, { encoding: 'utf8', cwd: folder })
  const errors = [...printed.matchAll(/^(\S+)\((\d+),\d+\): error/gm)].map(([, file, line]) => `${file}:${line}`)
  const lines = readFileSync(join(folder, MISUSES), 'utf8').split('\n')
  const wanted = lines.flatMap((line, index) => (line.includes('// misuse: ') ? [`${MISUSES}:${index + 2}`] : []))
  return { refused: [...new Set(errors)], wanted, printed }
}
