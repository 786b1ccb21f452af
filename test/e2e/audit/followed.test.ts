/** `troupe audit --follow` beside a server: on its home, and on its address. Source: docs/cli.md. */
import { expect } from 'chai'
import { as, ROLES_AND_RULES } from '../../support/api/access-scene.ts'
import { liveApi } from '../../support/api/live-api.ts'
import { type Program, program } from '../../support/cli/program.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { eventually } from '../../support/waiting.ts'

describe('audit › followed', () => {
  const api = liveApi({ settings: { ...ROLES_AND_RULES, 'audit.enabled': true } })
  const suspend = (isSuspended: boolean) =>
    api.call('POST', '/dags/open/suspend', as('admin', { body: { suspend: isSuspended } }))
  const audit = (environment: Record<string, string>, ...argv: string[]) =>
    program(temporaryFolder(), environment, 'audit', '--follow', ...argv)
  const linesOf = ({ written }: Program) => written.out.split('\n').slice(0, -1)

  it('in a home and at an address the same entries, as JSON and as text; ends when nobody reads any more', async () => {
    api.write('open', 'steps: [{name: say, command: echo open}]\n')
    expect((await suspend(true)).status).to.equal(200)
    const here = { ENGINE_HOME: api.engine.home }
    const there = { ENGINE_HOME: temporaryFolder(), ENGINE_AUTH_TOKEN: 'secret-admin' }
    const url = `http://127.0.0.1:${api.port}`
    const filter = ['--operation', 'suspendDag']
    const [json, remote, text] = [
      audit(here, '--json', ...filter),
      audit(there, '--json', '--url', url, ...filter),
      audit(here, ...filter)
    ] as const
    const all = [json, remote, text]
    const have = (count: number) =>
      eventually(`${count} entries`, () => all.every((one) => linesOf(one).length >= count) || undefined)
    await have(1)
    await suspend(false)
    await api.call('POST', '/dags/open/start', as('nobody'))
    await suspend(true)
    await have(3)
    await eventually('the text', () => (linesOf(text).length === 4 ? true : undefined))
    expect(linesOf(remote)).to.deep.equal(linesOf(json))
    const entries = linesOf(json).map((line) => JSON.parse(line))
    expect(entries.map(({ after }) => after.suspended)).to.deep.equal([true, false, true])
    const [head, ...rows] = linesOf(text)
    expect(head).to.match(/^entry +at/)
    expect(rows.map((row) => row.split(/ +/)[0])).to.deep.equal(entries.map(({ seq }) => String(seq)))
    for (const { child } of all) child.stdout?.destroy()
    await suspend(false)
    expect(await Promise.all(all.map(({ code }) => code))).to.deep.equal([0, 0, 0])
  })
  it('what has no end is refused where an end was asked for', async () => {
    const refused = program(temporaryFolder(), {}, 'audit', '--follow', '--all', '--until', '1h')
    expect(await refused.code).to.equal(1)
    expect(refused.written.err)
      .to.contain('--follow begins with the newest entries, so it has no --all')
      .and.contain('--follow has no end, so it has no --until')
  })
})
