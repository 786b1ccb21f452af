/** Commands that only read a definition: validate and dry. Source: api-semantics 11. */
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { serveHome } from '../../../src/api/owner/local.ts'
import { command, refusal, scene } from '../../support/cli/cli-scene.ts'
import { type Stage, stage } from '../../support/cli/fake-cli-engine.ts'
import { temporaryFolder } from '../../support/homes.ts'

describe('troupe validate, dry', () => {
  it('1.1.1 a name is looked up in the definitions folder of the engine that owns the home, as by start', async () => {
    const { home, engine, here } = scene()
    const dagsDir = temporaryFolder()
    writeFileSync(join(dagsDir, 'far.yaml'), 'steps: [echo]\n')
    const owner = await serveHome({ ...engine, config: { ...engine.config, dagsDir } })
    for (const name of ['validate', 'dry']) {
      expect(await command(name, stage(home, engine), 'far'), name).to.equal(0)
      expect(await refusal(name, here, 'near')).to.equal(
        `wanted a definition, found no near.yaml or near.yml in ${home} or ${dagsDir}`
      )
      expect(await command(name, stage(home, engine), 'etl'), 'one of the working directory').to.equal(0)
    }
    await owner.close()
    expect(await refusal('validate', here, 'far')).to.contain(`found no far.yaml or far.yml in ${home} or ${home}/dags`)
  })
})

describe('troupe dry', () => {
  const FLOW = `name: flow
type: graph
params: DAY=\`touch ran\` N=1
preconditions: [{condition: "\`touch ran\`", expected: x}]
maxActiveSteps: 3
steps:
  - {name: last, command: "echo \${DAY}", depends: [sub, each]}
  - {name: sub, call: kid, params: "X=1"}
  - {name: each, call: elsewhere, parallel: {items: [a, b]}, depends: [ask]}
  - {name: ask, executor: http, command: GET http://127.0.0.1:1/, preconditions: [test -f ready]}
handlerOn:
  failure: {command: echo failed}
  exit: {command: echo over}
---
name: kid
steps: [echo kid]
`
  function flow() {
    const { home, engine, here } = scene()
    writeFileSync(join(home, 'flow.yaml'), FLOW)
    const opened: unknown[] = []
    const createEngine: Stage['createEngine'] = async (options) => {
      opened.push(options)
      return engine
    }
    return { home, opened, here: { ...here, createEngine } }
  }

  it('prints the levels in the order in which they would run, commands unexpanded', async () => {
    const { here } = flow()
    expect(await command('dry', here, 'flow', '--', 'N=2')).to.equal(0)
    expect(here.written.out.split('\n')).to.deep.equal([
      'flow  4 steps in 3 levels; nothing is executed',
      'params: DAY=`touch ran` N=2',
      'precondition: `touch ran` is x',
      'at most 3 steps at a time',
      'level 1',
      '├─ sub  calls kid (in the same file)',
      '│       with: X=1',
      '└─ ask  http: GET http://127.0.0.1:1/',
      '        precondition: test -f ready',
      'level 2',
      '└─ each  calls elsewhere, once for each of 2 items',
      '         after: ask',
      'level 3',
      '└─ last  echo ${DAY}',
      '         after: sub, each',
      'handlers',
      '├─ onFailure  echo failed',
      '└─ onExit     echo over',
      ''
    ])
  })

  it('executes nothing: no history, no command substitution', async () => {
    const { home, opened, here } = flow()
    await command('dry', here, 'flow')
    expect(opened).to.deep.equal([])
    expect(existsSync(join(home, 'ran'))).to.equal(false)
    expect(existsSync(join(home, 'data'))).to.equal(false)
  })

  it('--json has the levels; --name the name', async () => {
    const { here } = flow()
    await command('dry', here, 'flow', '--json', '-N', 'other')
    const { name, levels, handlers } = JSON.parse(here.written.out)
    expect(name).to.equal('other')
    expect(levels.map((level: { name: string }[]) => level.map(({ name }) => name))).to.deep.equal([
      ['sub', 'ask'],
      ['each'],
      ['last']
    ])
    expect(levels[1][0].calls).to.deep.equal({ name: 'elsewhere', local: false, params: '', items: 2 })
    expect(handlers).to.have.length(2)
  })

  it('a definition with problems: 1, one line each on stderr', async () => {
    const { home, here } = flow()
    writeFileSync(join(home, 'bad.yaml'), 'steps: [{name: a, command: echo, depends: b}]\n')
    expect(await command('dry', here, 'bad')).to.equal(1)
    expect(here.written.out).to.equal('')
    expect(here.written.err).to.match(/^- bad\.yaml:1:\d+: .*non-existent step b\n$/)
  })
})
