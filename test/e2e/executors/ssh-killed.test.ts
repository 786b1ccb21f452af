/** What becomes of ssh steps when the engine is killed and starts again. Source: execution-semantics 13.5.3; D34, D625, D644. */
import { existsSync, readdirSync } from 'node:fs'
import { expect } from 'chai'
import { createEngine } from '../../../src/index.ts'
import { killedAfter, marksIn } from '../../support/engine/killed-engine.ts'
import { silentServer } from '../../support/executors/silent-ssh-server.ts'
import { liveSshd } from '../../support/executors/sshd.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { lineTo } from '../../support/line.ts'
import { oneIn } from '../../support/long.ts'

const resumed = async (home: string) => {
  const engine = await createEngine({ home })
  try {
    const { run, nodes } = await engine.result({ name: 'killed', dagRunId: 'r1' })
    return { status: run.status, error: nodes[0]?.node.error ?? '', retryCount: nodes[0]?.node.retryCount }
  } finally {
    await engine.close()
  }
}
const specOf = (ssh: object, command: string, more = '') =>
  `name: killed\nssh: ${JSON.stringify(ssh)}\nsteps: [{name: slow, command: '${command}'${more}}]`

describe('ssh › kill -9 of the engine', () => {
  const sshd = liveSshd()

  it('13.5.3: after kill -9 of the engine it is `interrupted: outcome unknown`, and the message names the process group that may be running', async () => {
    const home = temporaryFolder()
    const isNoted = () =>
      readdirSync(home, { recursive: true, encoding: 'utf8' }).some((file) => file.endsWith('.remote.state'))
    await killedAfter(home, specOf(sshd.target, `echo $$ >> ${home}/marks; exec sleep 30`), 1, isNoted)
    const [pid] = marksIn(home)
    try {
      const { status, error } = await resumed(home)
      expect([status, marksIn(home)]).to.deep.equal(['failed', [pid]])
      expect(error).to.include(`interrupted: outcome unknown (its process group ${pid} on `)
    } finally {
      if (existsSync(`/proc/${pid}/exe`)) process.kill(-Number(pid))
    }
  })

  for (const onInterrupt of oneIn(3, ['resume', 'fail', 'rerun']))
    it(`D34 onInterrupt: ${onInterrupt}: one that was still connecting never began: it is begun, once, and no retry is counted`, async () => {
      const home = temporaryFolder()
      const { host, port } = sshd.target
      const line = await lineTo({ host, port: Number(port) }, true)
      const ssh = { ...sshd.target, port: String(line.port), strictHostKey: false }
      const command = `echo here; echo one >> ${home}/marks`
      try {
        await killedAfter(
          home,
          specOf(ssh, command, `, output: SAID, onInterrupt: ${onInterrupt}`),
          0,
          () => line.connections > 0
        )
        line.speak()
        expect(await resumed(home)).to.deep.equal({ status: 'succeeded', error: '', retryCount: 0 })
        expect(marksIn(home)).to.deep.equal(['one'])
      } finally {
        line.close()
      }
    })

  it('13.5.3: one whose command was sent, and not yet confirmed, is `interrupted: outcome unknown`: it is not sent again', async () => {
    const home = temporaryFolder()
    const server = await silentServer()
    try {
      await killedAfter(home, specOf(server.target, 'echo one'), 0, () => server.commands.length > 0)
      const { status, error } = await resumed(home)
      expect(status).to.equal('failed')
      expect(error).to.match(/interrupted: outcome unknown$/)
      expect(server.commands).to.have.length(1)
    } finally {
      server.close()
    }
  })
})
