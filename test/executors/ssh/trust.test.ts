/** Which machines an `ssh` step trusts, and which keys they accept. Source: execution-semantics 10.3.2, 10.3.3. */
import { execFileSync } from 'node:child_process'
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { liveSsh } from '../../support/executors/live-ssh.ts'
import { temporaryFolder } from '../../support/homes.ts'

describe('ssh › a real server', () => {
  const { run, sshd } = liveSsh()

  describe('10.3.3 host keys', () => {
    it('an unknown key fails with its fingerprint and the way to accept it, which works', async () => {
      const knownHostFile = join(temporaryFolder(), 'known')
      const { exitCode, err } = await run({ command: 'echo x' }, { knownHostFile })
      expect(exitCode).to.equal(1)
      expect(err).to.match(/is not known: .* found ssh-ed25519 SHA256:[\w+/]{43}\./)
      const [, line = ''] = /accept it: echo '([^']+)'/.exec(err) ?? []
      writeFileSync(knownHostFile, `${line}\n`)
      expect(await run({ command: 'echo x' }, { knownHostFile })).to.include({ exitCode: 0, out: 'x\n' })
    })
    it('another key than the known one is refused, also by a machine that was reached before', async () => {
      const { exitCode, err, out } = await run({ command: 'echo x' }, { knownHostFile: sshd.wrongKnownHosts })
      expect([exitCode, out]).to.deep.equal([1, ''])
      expect(err).to.include('is not the known one: line 1')
    })
    it('hashed names, as `ssh-keygen -H` writes them, are found', async () => {
      const knownHostFile = join(temporaryFolder(), 'known')
      copyFileSync(sshd.target.knownHostFile, knownHostFile)
      execFileSync('ssh-keygen', ['-q', '-H', '-f', knownHostFile], { stdio: 'ignore' })
      expect(readFileSync(knownHostFile, 'utf8'))
        .to.match(/^\|1\|/)
        .and.not.include(sshd.target.host)
      expect(await run({ command: 'echo x' }, { knownHostFile })).to.include({ exitCode: 0, out: 'x\n' })
    })
    it('`false` takes any key', async () => {
      const target = { strictHostKey: false, knownHostFile: sshd.wrongKnownHosts }
      expect(await run({ command: 'echo x' }, target)).to.include({ exitCode: 0, out: 'x\n' })
    })
    it('a file that cannot be read is an error, not an empty one', async () => {
      const { err } = await run({ command: 'echo x' }, { knownHostFile: temporaryFolder() })
      expect(err).to.include('cannot be read: it is a folder')
    })
    it('/dev/null has no keys; a pipe is no file, and is not waited for', async () => {
      const [nobody, pipe] = [
        await run({ command: 'echo x' }, { knownHostFile: '/dev/null' }),
        join(temporaryFolder(), 'p')
      ]
      expect(nobody.err).to.include('is not known: /dev/null has no ssh-ed25519 key of it')
      execFileSync('mkfifo', [pipe])
      expect((await run({ command: 'echo x' }, { knownHostFile: pipe })).err).to.include(
        `knownHostFile ${pipe} cannot be read: it is no file`
      )
    })
  })

  it('10.3.2: a key that is refused fails the step by name', async () => {
    const { exitCode, err } = await run({ command: 'echo x' }, { key: sshd.otherKey })
    const { user, port } = sshd.target
    const [, shownAs = ''] = execFileSync('ssh-keygen', ['-l', '-f', sshd.otherKey]).toString().split(' ')
    expect([exitCode, err]).to.deep.equal([
      1,
      `ssh ${user}@127.0.0.1:${port}: the login of ${user} by the key ${sshd.otherKey} (ssh-ed25519 ${shownAs}) was refused: ` +
        `the line that ssh-keygen -y -f ${sshd.otherKey} shows must stand in the authorized_keys of ${user} there\n`
    ])
  })
})
