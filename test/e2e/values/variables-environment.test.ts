/** What is in the environment of step processes. Source: execution-semantics 3.5, 3.6. */
import { expect } from 'chai'
import { liveEngine } from '../../support/engine/live.ts'

describe('environment of step processes', () => {
  const foreign = {
    TROUPE_TEST_FOREIGN: 'foreign',
    LC_TROUPE: 'lc',
    DAG_TROUPE: 'dag',
    ENGINE_TROUPE: 'engine',
    ENGINE_AUTH_TOKEN: 'hidden',
    ENGINE_AUTH_BASIC_USERNAME: 'hidden',
    ENGINE_AUTH_BASIC_PASSWORD: 'hidden',
    LD_LIBRARY_PATH: '/hidden'
  }
  before(() => Object.assign(process.env, foreign))
  after(() => {
    for (const name of Object.keys(foreign)) delete process.env[name]
  })
  const live = liveEngine()

  it('3.5.1 only PATH HOME LANG TZ SHELL and the prefixes ENGINE_ LC_ DAG_ reach step processes; 3.5.3 ENGINE_AUTH_* are dropped', async () => {
    const run = await live.run(`
      name: filtered
      params: P=p one
      env: {OWN: own}
      steps:
        - {name: shows, command: tr '\\0' '\\n' </proc/$$/environ, env: {STEP: step}}
    `)
    const names = run
      .out('shows')
      .trim()
      .split('\n')
      .map((line) => line.split('=')[0] ?? '')
      .sort()
    const allowed = Object.keys(process.env).filter((name) =>
      /^(PATH|HOME|LANG|TZ|SHELL|ENGINE_(?!AUTH_).*|LC_.*|DAG_.*)$/.test(name)
    )
    const special = [
      'DAG_NAME',
      'DAG_RUN_ID',
      'DAG_RUN_LOG_FILE',
      'DAG_RUN_STEP_NAME',
      'DAG_RUN_STEP_STDERR_FILE',
      'DAG_RUN_STEP_STDOUT_FILE'
    ]
    expect(names).to.deep.equal([...allowed, ...special, 'PWD', 'P', '2', 'OWN', 'STEP'].sort())
    expect(names).to.include.members(['LC_TROUPE', 'DAG_TROUPE', 'ENGINE_TROUPE'])
    expect(names, '3.5.2 the list is closed').not.to.include('LD_LIBRARY_PATH')
  })
})
