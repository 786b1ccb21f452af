/** A real OpenSSH server on loopback for the tests of a `describe`; without one they are skipped, to be seen. */
import { execFile } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { SshTarget } from '../../../machines/vocabulary.ts'
import { PROJECT } from '../project.ts'

/** Starts and stops it; beside the project, where there are such scripts. */
const SCRIPT = join(PROJECT, '..', 'shared', 'services', 'sshd.sh')

export interface Sshd {
  /** A target that it accepts. */
  readonly target: SshTarget & { key: string; knownHostFile: string }
  /** A key that it refuses, a file with another key of its. */
  readonly otherKey: string
  readonly wrongKnownHosts: string
  readonly hostKey: string
}

export function liveSshd(): Sshd {
  let found: Sshd | undefined
  const root = mkdtempSync(join(tmpdir(), 'troupe-sshd-'))
  chmodSync(root, 0o755)
  const run = (command: string) =>
    promisify(execFile)('bash', [SCRIPT, command], { env: { ...process.env, SVC_ROOT: root } })
  before(async function () {
    if (!existsSync(SCRIPT)) return this.skip()
    const address = await run('start').catch((error: Error & { code?: number }) => {
      if (error.code === 3) return undefined // it cannot run here
      throw error
    })
    if (!address) return this.skip()
    const { username, hostname, port } = new URL(address.stdout.trim())
    const file = (name: string) => join(root, 'sshd', name)
    found = {
      target: {
        user: username,
        host: hostname,
        port,
        strictHostKey: true,
        key: file('user_key'),
        knownHostFile: file('known_hosts')
      },
      otherKey: file('other_key'),
      wrongKnownHosts: file('known_hosts_bad'),
      hostKey: file('host_key.pub')
    }
  })
  after(async () => {
    if (found) await run('stop')
    rmSync(root, { recursive: true, force: true })
  })
  const at = (): Sshd => {
    if (found) return found
    throw new Error('the server is there in tests only')
  }
  return {
    get target() {
      return at().target
    },
    get otherKey() {
      return at().otherKey
    },
    get wrongKnownHosts() {
      return at().wrongKnownHosts
    },
    get hostKey() {
      return at().hostKey
    }
  }
}
