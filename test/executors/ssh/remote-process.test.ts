/** What a remote command writes, to the end. Source: execution-semantics 10.3.8. */
import { expect } from 'chai'
import { systemClock } from '../../../src/clock.ts'
import { credentialsOf } from '../../../src/executors/ssh/credentials.ts'
import { openPool } from '../../../src/executors/ssh/pool.ts'
import { attach } from '../../../src/executors/ssh/remote-process.ts'
import { liveSshd } from '../../support/executors/sshd.ts'

describe('ssh › the streams of a command', () => {
  const sshd = liveSshd()

  it('10.3.8 what it wrote on stderr is passed on, also when stdout has ended before that was taken', async () => {
    const { strictHostKey, knownHostFile } = sshd.target
    const pool = openPool(systemClock)
    const peer = { credentials: await credentialsOf(sshd.target), trust: { strictHostKey, knownHostFile } }
    const session = await pool.open(peer, 'echo "mark 7" >&2; sleep 0.2; echo late >&2')
    const closed = new Promise<void>((resolve) => session.channel.once('close', resolve))
    let err = ''
    const sink = {
      stdout: async () => {},
      /** As slow as a disk that has other things to do. */
      stderr: async (chunk: Uint8Array) => {
        err += Buffer.from(chunk).toString()
        await closed
      }
    }
    const { group, ended } = attach(session, 'mark', sink, systemClock)
    expect(await group).to.equal(7)
    expect(await ended).to.include({ code: 0 })
    expect(err).to.equal('late\n')
    pool.close()
  })
})
