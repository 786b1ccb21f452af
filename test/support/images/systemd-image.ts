/**
 * An image in which systemd is process 1, and in which the commands of docs/operating/systemd.md install the package that is tested. There
 * is no registry and no Debian package of sudo: an `npm` and a `sudo` stand in for what these commands want of them, and for nothing else.
 */
import { execFileSync } from 'node:child_process'
import { chmodSync, copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { temporaryFolder } from '../homes.ts'
import { PROJECT } from '../project.ts'
import { debianImage } from './debian-image.ts'
import { packageImage } from './package-image.ts'

/** Its cgroup is in a namespace of its own, and read-only at first. */
const START = 'mount -o remount,bind,rw /sys/fs/cgroup/systemd && exec /lib/systemd/systemd'
const NEEDLESS = 'systemd-firstboot.service getty.target systemd-logind.service nats-server.service'

/** What `docker run` needs for it. */
export const SYSTEMD_FLAGS = [
  '--cap-add',
  'SYS_ADMIN',
  '--security-opt',
  'seccomp=unconfined',
  '--security-opt',
  'apparmor=unconfined',
  '--cgroupns',
  'private',
  '--tmpfs',
  '/run:exec',
  '--tmpfs',
  '/run/lock',
  '--tmpfs',
  '/tmp:exec'
]

/** In the folder that `COPY` puts into the root of the image. */
const STAND_INS = {
  npm: `test "$1 $2 $3 $5" = 'install --global --prefix /path/to/troupe-VERSION.tgz' && exec cp -a /opt/troupe/. "$4"`,
  sudo: 'test "$1" = -u && as=$2 && shift 2 && exec setpriv --reuid "$as" --regid "$as" --init-groups env "$@"'
}
/** Where the checkout of a release is. */
export const CHECKOUT = '/checkout'

/** @param docker its words before a command @param packages of `packagesWith` @returns names of images, the built one first */
export async function systemdImage(docker: string[], name: string, packages: string[]): Promise<string[]> {
  const [base, own] = [`${name}-base:test`, `${name}-package:test`]
  await debianImage(docker, base, packages)
  packageImage(docker, own)
  const folder = temporaryFolder()
  const root = join(folder, 'root')
  const unit = join('docs', 'operating', 'troupe.service')
  for (const path of ['usr/local/bin', dirname(`${CHECKOUT}/${unit}`)]) mkdirSync(join(root, path), { recursive: true })
  copyFileSync(join(PROJECT, unit), join(root, CHECKOUT, unit))
  for (const [name, script] of Object.entries(STAND_INS)) {
    const path = join(root, 'usr/local/bin', name)
    writeFileSync(path, `#!/bin/sh\n${script}\n`)
    chmodSync(path, 0o755)
  }
  const lines = [
    `FROM ${base}`,
    `COPY --from=${own} /opt/troupe /opt/troupe`,
    'COPY root /',
    `RUN systemd-machine-id-setup && systemctl mask ${NEEDLESS}`,
    `CMD ["sh", "-c", "${START}"]`
  ]
  writeFileSync(join(folder, 'Dockerfile'), `${lines.join('\n')}\n`)
  const [program = 'docker', ...before] = docker
  execFileSync(program, [...before, 'build', '--network', 'none', '--tag', name, folder], {
    env: { ...process.env, DOCKER_BUILDKIT: '0' },
    stdio: ['ignore', 'pipe', 'pipe']
  })
  return [name, base, own]
}
