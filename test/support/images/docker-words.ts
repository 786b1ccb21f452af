/** A `docker` for blocks of commands: that of the machine on the engine of the tests, which has no network to others and no default one. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import type { Shell } from '../docs/pasting.ts'
import { PROJECT } from '../project.ts'
import type { Differences } from './compose.ts'

const COMPOSE = join(PROJECT, 'dist/test/support/images/compose.js')
const quoted = (words: readonly string[]) => words.map((word) => `'${word}'`).join(' ')

/** @param build flags of each build, in the place of what it would download */
export function installDocker(shell: Shell, address: string, differences: Differences, build: string[] = []): void {
  const found = spawnSync('sh', ['-c', 'command -v docker'], { encoding: 'utf8' }).stdout.trim()
  const docker = `'${found}' -H '${address}'`
  shell.install(
    'docker',
    `case $1 in
  build) shift; DOCKER_BUILDKIT=0 exec ${docker} build ${quoted(build)} "$@" ;;
  run) shift; exec ${docker} run --network '${differences.network}' "$@" ;;
  compose) shift; COMPOSE_STAND_IN='${JSON.stringify(differences)}' exec '${process.execPath}' '${COMPOSE}' "$@" ;;
  *) exec ${docker} "$@" ;;
esac`
  )
}
