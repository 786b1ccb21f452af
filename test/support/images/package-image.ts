/** The package as npm packs it, with what it depends on, in the place where the Dockerfile installs it: a stage of an image. */
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { installed } from '../../release/components.ts'
import type { Lock, Manifest } from '../../release/release.ts'
import { temporaryFolder } from '../homes.ts'
import { PROJECT } from '../project.ts'

/** @param docker its words before a command */
export function packageImage(docker: string[], tag: string): void {
  const root = temporaryFolder()
  const prefix = join(root, 'opt', 'troupe')
  const packages = join(prefix, 'lib', 'node_modules')
  mkdirSync(packages, { recursive: true })
  mkdirSync(join(prefix, 'bin'))
  const packing = ['pack', '--ignore-scripts', '--silent', '--pack-destination', root]
  const tarball = execFileSync('npm', packing, { cwd: PROJECT, encoding: 'utf8' }).trim()
  execFileSync('tar', ['-xzf', join(root, tarball), '-C', packages])
  const own = join(packages, 'troupe')
  execFileSync('mv', [join(packages, 'package'), own])
  const [manifest, lock] = ['package.json', 'package-lock.json'].map((name) =>
    JSON.parse(readFileSync(join(PROJECT, name), 'utf8'))
  ) as [Manifest, Lock]
  for (const { name } of installed(manifest, lock)) {
    const from = join(PROJECT, 'node_modules', name)
    if (!existsSync(from)) continue // of another platform
    mkdirSync(dirname(join(own, 'node_modules', name)), { recursive: true })
    cpSync(from, join(own, 'node_modules', name), { recursive: true, dereference: true })
  }
  const program = 'dist/bin/program'
  for (const file of readdirSync(join(PROJECT, program)).filter((name) => name.includes('.cjs.v')))
    cpSync(join(PROJECT, program, file), join(own, program, file))
  symlinkSync('../lib/node_modules/troupe/dist/bin/troupe.js', join(prefix, 'bin', 'troupe'))
  const words = [...docker, 'import', '-', tag]
  execFileSync('sh', ['-c', 'root=$0; tar -c --owner=0 --group=0 -C "$root" opt | "$@"', root, ...words], {
    stdio: ['ignore', 'pipe', 'pipe']
  })
}
