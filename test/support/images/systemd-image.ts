/** An image in which systemd is process 1 and the unit of docs/operating starts the package that is tested. */
import { execFileSync } from 'node:child_process'
import { copyFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../homes.ts'
import { PROJECT } from '../project.ts'
import { debianImage } from './debian-image.ts'
import { packageImage } from './package-image.ts'

/** Its cgroup is in a namespace of its own, and read-only at first. */
const START = 'mount -o remount,bind,rw /sys/fs/cgroup/systemd && exec /lib/systemd/systemd'
const NEEDLESS = 'systemd-firstboot.service getty.target systemd-logind.service nats-server.service'

/** What `docker run` needs for it. */
export const SYSTEMD_FLAGS = [
  ...['--cap-add', 'SYS_ADMIN', '--security-opt', 'seccomp=unconfined', '--security-opt', 'apparmor=unconfined'],
  ...['--cgroupns', 'private', '--tmpfs', '/run:exec', '--tmpfs', '/run/lock', '--tmpfs', '/tmp:exec']
]

/** @param docker its words before a command @param packages of `packagesWith` @returns names of images, the built one first */
export async function systemdImage(docker: string[], name: string, packages: string[]): Promise<string[]> {
  const [base, own] = [`${name}-base:test`, `${name}-package:test`]
  await debianImage(docker, base, packages)
  packageImage(docker, own)
  const folder = temporaryFolder()
  copyFileSync(join(PROJECT, 'docs', 'operating', 'troupe.service'), join(folder, 'troupe.service'))
  const lines = [
    `FROM ${base}`,
    `COPY --from=${own} /opt/troupe /usr/local`,
    `RUN useradd --system --home-dir /var/lib/troupe --shell /bin/sh troupe && systemd-machine-id-setup && systemctl mask ${NEEDLESS}`,
    'COPY troupe.service /etc/systemd/system/',
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
