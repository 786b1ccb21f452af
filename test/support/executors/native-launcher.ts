/** Builds of `troupe-launcher` in folders of their own, by the rules of the project. */
import { type SpawnSyncReturns, spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { temporaryFolder } from '../homes.ts'
import { PROJECT } from '../project.ts'

export const NATIVE = join(PROJECT, 'src/executors/launcher/native')
export const PLATFORM = `${process.platform}-${process.arch}`

/** A program that says its version and nothing else. */
export const SMALL = `#include <stdio.h>
int main(void) { return puts("troupe-launcher 0") < 0; }
`

export const has = (program: string): boolean => spawnSync(program, ['--version']).status === 0

/** Whether `make build` can compile here: a compiler may have come without the headers. */
export const canCompile = (): boolean =>
  spawnSync('cc', ['-x', 'c', '-o', join(temporaryFolder(), 'small'), '-'], { input: SMALL }).status === 0

/** Whether `make launchers` can work here. */
export const canCross = (): boolean =>
  ['x86_64', 'aarch64'].every(
    (name) => has(`${name}-linux-gnu-gcc`) && existsSync(`/usr/lib/${name}-linux-musl/libc.a`)
  )

export interface Workshop {
  source: string
  /** Folder of what is built. */
  out: string
  make(target: string, environment?: Record<string, string>): SpawnSyncReturns<string>
}

/**
 * Source and Makefile, a minute old, so that a source that is written again is newer than what was built of it.
 * @param text of the program; absent: that of the project
 */
export function workshop(text?: string): Workshop {
  const folder = join(temporaryFolder(), 'native')
  const source = join(folder, 'troupe-launcher.c')
  mkdirSync(folder)
  copyFileSync(join(NATIVE, 'Makefile'), join(folder, 'Makefile'))
  if (text === undefined) copyFileSync(join(NATIVE, 'troupe-launcher.c'), source)
  else writeFileSync(source, text)
  const aMinuteAgo = new Date(Date.now() - 60_000)
  for (const path of [source, join(folder, 'Makefile')]) utimesSync(path, aMinuteAgo, aMinuteAgo)
  return {
    source,
    out: join(folder, 'out'),
    make(target, environment = {}) {
      const { MAKEFLAGS: _, ...rest } = process.env // of the `make test` that these tests may be part of
      const env = { ...rest, ...environment }
      return spawnSync('make', ['--no-print-directory', target, 'OUT=out'], { cwd: folder, env, encoding: 'utf8' })
    }
  }
}

let sanitizedPath: string | undefined
/** One that ends at the first access outside its memory and the first undefined behaviour; undefined: the compiler cannot make it. */
export function sanitized(): string | undefined {
  if (sanitizedPath !== undefined) return sanitizedPath
  const path = join(tmpdir(), `troupe-launcher-sanitized-${process.pid}`)
  const flags = ['-std=c11', '-g', '-O1', '-fsanitize=address,undefined', '-fno-sanitize-recover=all']
  const { status } = spawnSync('cc', [...flags, '-o', path, join(NATIVE, 'troupe-launcher.c')])
  if (status !== 0) return undefined
  process.once('exit', () => rmSync(path, { force: true }))
  sanitizedPath = path
  return path
}
