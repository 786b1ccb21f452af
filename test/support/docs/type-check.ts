/** Holds programs of the pages against the types of the package, as an editor of a user would. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../homes.ts'
import { PROJECT } from '../project.ts'
import type { Fence } from './fences.ts'

/** What stands around a part of a program: the page says it in words. */
const AROUND: Record<string, string> = {
  'docs/configuration.md':
    "import { createEngine } from 'troupe'\ndeclare const home: string\ndeclare const token: string\n",
  'docs/inspect.md': "import { createEngine } from 'troupe'\n",
  'docs/client.md': "import { createClient } from 'troupe/client'\ndeclare const baseUrl: string\n"
}
/** The same program twice over: the page shows both ways to load the package. */
const LOADED_TWICE = /^import .* \/\/ or\nconst .* = require\('([^']+)'\)$/m
const OPTIONS = {
  target: 'ES2023',
  module: 'NodeNext',
  moduleResolution: 'NodeNext',
  lib: ['ES2023'],
  strict: true,
  skipLibCheck: true,
  noEmit: true,
  types: ['node']
}

/** @returns what the compiler says, with the page and the line in it */
export function typeProblems(fences: readonly Fence[]): string[] {
  const folder = temporaryFolder()
  mkdirSync(join(folder, 'node_modules'))
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}')
  symlinkSync(PROJECT, join(folder, 'node_modules/troupe'))
  for (const name of ['zod', '@types'])
    symlinkSync(join(PROJECT, 'node_modules', name), join(folder, 'node_modules', name))
  const names = new Map(
    fences.map(({ page, line, text }, at) => {
      const around = text.includes('import ') ? '' : (AROUND[page] ?? '')
      const once = text.replace(LOADED_TWICE, (all) => all.split('\n')[0] ?? '')
      const name = `part-${at}.ts`
      writeFileSync(join(folder, name), `${around}${once}\nexport {}\n`)
      return [name, `${page}, line ${line}`]
    })
  )
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: OPTIONS, include: ['*.ts'] }))
  const { stdout } = spawnSync(join(PROJECT, 'node_modules/.bin/tsc'), ['-p', folder, '--pretty', 'false'], {
    cwd: folder,
    encoding: 'utf8'
  })
  return stdout
    .split('\n')
    .filter((line) => line.includes('error TS'))
    .map((line) => line.replace(/part-\d+\.ts/, (name) => names.get(name) ?? name))
}
