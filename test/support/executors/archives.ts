/** The archive executor at work on temporary folders, and a tree with one of everything to pack. */
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  utimesSync,
  writeFileSync
} from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '../../../src/clock.ts'
import { archive } from '../../../src/executors/archive/archive.ts'
import { LIMITS } from '../../../src/executors/archive/guard.ts'
import { outcomeOf } from '../../../src/executors/archive/outcome.ts'
import type { ArchiveRequest } from '../../../src/executors/archive/request.ts'
import type { InProcess } from '../../../src/executors/frame/in-process.ts'
import { benchFor } from './executions.ts'

export const has = (program: string) => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0
const LONG = `${'long-name-'.repeat(18)}ü`

/** What is in a folder, a line each: its path, and its mode and size, or what it leads to. */
export const seen = (root: string, path = ''): string[] =>
  readdirSync(join(root, path))
    .sort()
    .flatMap((name) => {
      const inner = join(path, name)
      const found = lstatSync(join(root, inner))
      if (found.isDirectory()) return [`${inner}/`, ...seen(root, inner)]
      if (found.isSymbolicLink()) return [`${inner} -> ${readlinkSync(join(root, inner))}`]
      return [`${inner} ${(found.mode & 0o777).toString(8)} ${readFileSync(join(root, inner)).length}`]
    })

type Perform = InProcess['perform']

/** In this thread: one of its own takes ten times as long to begin. */
export const archiveHere = (work: Parameters<Perform>[0], limits = LIMITS) =>
  archive(work, systemClock, limits, ({ data, note = () => {} }) => outcomeOf(data as ArchiveRequest, note))
export const archiveInThread: Perform = (work) => archive(work, systemClock)

/** For the tests of a `describe`. */
export function archiveBench(by: Perform = (work) => archiveHere(work)) {
  const bench = benchFor(by)
  let count = 0
  /** A new folder below the working directory. */
  const fresh = (name = 'd') => {
    const folder = join(bench.folder, `${name}${++count}`)
    mkdirSync(folder)
    return folder
  }
  const perform = async (command: string, config: Record<string, string | number | boolean | string[]>) => {
    const { exitCode, out, err } = await bench.run({ words: [command], config })
    return { exitCode, err, out, result: out ? JSON.parse(out) : undefined }
  }

  /** A folder with one of everything. */
  const tree = fresh('tree')
  before(() => {
    mkdirSync(join(tree, 'sub', 'empty'), { recursive: true })
    writeFileSync(join(tree, 'a.txt'), 'hello\n')
    writeFileSync(join(tree, 'sub', 'run.sh'), '#!/bin/sh\n')
    chmodSync(join(tree, 'sub', 'run.sh'), 0o755)
    writeFileSync(join(tree, 'sub', LONG), 'x'.repeat(100_000))
    writeFileSync(join(tree, 'zero'), '')
    symlinkSync('a.txt', join(tree, 'link'))
    linkSync(join(tree, 'a.txt'), join(tree, 'sub', 'hard'))
    utimesSync(join(tree, 'sub', 'run.sh'), 1_000_000_000, 1_000_000_000)
  })
  /** Of the tree. */
  const name = () => tree.split('/').at(-1) ?? ''
  return { bench, fresh, perform, tree, name }
}
