/** Definitions, runs, differences and the address of the page on the command line, with a server and without one. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Json } from '../../support/api/live-api.ts'
import { called } from '../../support/cli/called.ts'
import { runningServer } from '../../support/cli/program.ts'
import { temporaryFolder } from '../../support/homes.ts'

describe('an overview on the command line', () => {
  const folder = temporaryFolder()
  const done = (...argv: string[]) => called(folder, { ENGINE_HOME: folder, ENGINE_TZ: 'UTC' }, ...argv)
  const json = async (...argv: string[]): Promise<Json> => JSON.parse((await done(...argv, '--json')).out)

  it('the same with a server and without one', async () => {
    mkdirSync(join(folder, 'dags'))
    writeFileSync(
      join(folder, 'dags', 'cmp.yaml'),
      'schedule: "0 9 1 1 *"\ntags: [night]\nparams: N=1\nsteps:\n  - {name: s, command: test $N = 1}\n'
    )
    writeFileSync(join(folder, 'dags', 'broken.yaml'), 'steps: [{name: s, comand: x}]\n')
    const server = await runningServer({ ENGINE_TZ: 'UTC' }, { folder })
    expect((await done('start', 'cmp', '-r', 'good')).code).to.equal(0)
    expect((await done('start', 'cmp', '-r', 'bad', '--', 'N=2')).code).to.equal(1)
    const all = async () => ({
      list: (await json('list')).dags.map(({ fileName, problems, tags, nextRun, latestDAGRun }: Json) => {
        return [fileName, problems > 0, tags, nextRun.slice(4, 20), latestDAGRun?.dagRunId ?? null]
      }),
      failed: (await json('runs', 'cmp', '--status', 'failed', '--since', '1h', '--tag', 'night')).dagRuns.map(
        ({ dagRunId, trigger }: Json) => [dagRunId, trigger.type]
      ),
      none: (await done('runs', '--trigger', 'schedule')).out,
      diff: (await json('diff', 'cmp')).params,
      named: (await json('diff', 'cmp:bad', 'cmp:good')).params,
      names: (await done('completion', 'names')).out.split('\n').sort()
    })
    writeFileSync(join(folder, 'dags', 'nap.yaml'), 'steps:\n  - {name: s, command: sleep 1}\n')
    await done('enqueue', 'nap', '-r', 'n1')
    const watched = await done('status', 'nap', '--watch')
    expect(watched.out, 'status --watch').to.match(/^✓ nap {2}succeeded {2}1\.\ds /)
    const open = await done('open', 'cmp', '--port', new URL(server.address).port)
    const served = await all()
    await server.end()
    expect(await all()).to.deep.equal(served)
    expect(served).to.deep.equal({
      list: [
        ['broken', true, [], '', null],
        ['cmp', false, ['night'], '-01-01T09:00:00Z', 'bad'],
        ['nap', false, [], '', 'n1']
      ],
      failed: [['bad', 'cli']],
      none: 'no run matches\n',
      diff: [{ name: 'N', before: '1', after: '2' }],
      named: [{ name: 'N', before: '2', after: '1' }],
      names: ['', 'broken', 'cmp', 'nap']
    })
    expect(open).to.deep.include({ code: 0, out: `${server.address}/#/runs/cmp/bad\n` })
    const gone = await done('open', '--port', '1')
    expect([gone.code, gone.err]).to.deep.equal([
      1,
      'Error: no server answers at http://127.0.0.1:1: troupe start-all starts one, and --host and --port say where another one is\n'
    ])
  })
})
