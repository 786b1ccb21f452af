/** Holds programs of the pages against the types of the package, as an editor of a user would. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../homes.ts'
import { PROJECT } from '../project.ts'
import type { Fence } from './fences.ts'

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
      const name = `part-${at}.ts`
      writeFileSync(join(folder, name), `${text}\nexport {}\n`)
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
