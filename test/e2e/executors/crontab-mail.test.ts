/** The mail of a job that came from a crontab, with cron's own sender. Source: docs/operating/coming-from-cron.md. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { importCrontab } from '../../../src/import/cron/import.ts'
import { createEngine } from '../../../src/index.ts'
import { mailServer } from '../../support/executors/mail-server.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { eventually } from '../../support/waiting.ts'

describe('mail of an imported crontab', () => {
  it('MAILTO without MAILFROM: a job that fails is mailed to each address from USER@HOSTNAME, with its log; one that succeeds is not', async () => {
    const server = await mailServer()
    const home = temporaryFolder()
    writeFileSync(join(home, 'base.yaml'), `smtp: {host: 127.0.0.1, port: "${server.port}"}\n`)
    const { made } = importCrontab({
      config: { dagsDir: join(home, 'dags') },
      crontabs: [
        {
          name: '/tab',
          text: 'MAILTO=ops@x.test, dev@x.test\n0 1 * * * true\n0 2 * * * echo no space; exit 3\n',
          hasUser: false
        }
      ],
      self: { user: 'me', host: 'here.x.test' },
      dryRun: false,
      overwrite: false
    })
    const engine = await createEngine({ home, defaultShell: 'sh' })
    try {
      const ends: string[] = []
      for (const { fileName } of made) {
        const run = await engine.start({ fileName })
        ends.push((await engine.result(run)).run.status)
      }
      expect(ends).to.deep.equal(['succeeded', 'failed'])
      await eventually('the mail', () => server.arrived.length > 0 || undefined)
      expect(server.arrived.map(({ from, to }) => [from, to])).to.deep.equal([
        ['me@here.x.test', ['ops@x.test', 'dev@x.test']]
      ])
      expect(server.arrived.flatMap(({ attachments }) => attachments.map(({ text }) => text)).join()).to.contain(
        'no space'
      )
    } finally {
      await engine.close()
      await server.close()
    }
  })
})
