/** What is in the environment of step processes. Source: execution-semantics 3.5, 3.6. */
import { expect } from 'chai'
import { liveEngine, textOf } from '../../support/engine/live.ts'
import { temporaryFolder } from '../../support/homes.ts'

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

  it('3.5.1 holds for backticks of a step, conditions and handlers as well', async () => {
    const hidden = 'echo "$TROUPE_TEST_FOREIGN$ENGINE_AUTH_TOKEN$LD_LIBRARY_PATH"'
    const run = await live.run(`
      preconditions: ['test -z "$TROUPE_TEST_FOREIGN$ENGINE_AUTH_TOKEN"']
      steps:
        - {name: backtick, command: 'echo "<\`${hidden}\`>"'}
        - {name: condition, command: "true", preconditions: ['test -z "$TROUPE_TEST_FOREIGN"']}
        - {name: unset at run time, command: 'echo "<\${TROUPE_TEST_FOREIGN}>"', env: {E: "<\${ENGINE_AUTH_TOKEN}>"}}
      handlerOn: {exit: '${hidden.replaceAll("'", "''")}'}
    `)
    expect(run.statuses).to.deep.equal(['succeeded', 'succeeded', 'succeeded'])
    expect(run.out('backtick') + run.out('unset at run time') + run.out('onExit')).to.equal('<>\n<>\n\n')
  })

  it('3.5.4 the full server environment is available to ${VAR} at load (env, params, paths) and to backticks there, not at run time', async () => {
    const folder = temporaryFolder()
    const run = await live.run(`
      workingDir: ${folder}/\${TROUPE_TEST_FOREIGN}
      env: [{E: "\${TROUPE_TEST_FOREIGN} \`echo $TROUPE_TEST_FOREIGN\`"}]
      params: ["P=\${TROUPE_TEST_FOREIGN}", "Q=\`echo $TROUPE_TEST_FOREIGN\`"]
      steps:
        - name: shows
          env: {S: "<\${TROUPE_TEST_FOREIGN}>"}
          command: 'echo "$E|$P|\${Q}|$S|\${TROUPE_TEST_FOREIGN}|\`echo $TROUPE_TEST_FOREIGN\`"; pwd'
    `)
    expect(run.out('shows')).to.equal(`foreign foreign|foreign|foreign|<>||\n${folder}/foreign\n`)
  })

  it('3.6 special variables: names, run id, log files, working directory; DAG_RUN_STATUS in handlers', async () => {
    const folder = temporaryFolder()
    const run = await live.run(
      `
      name: specials
      workingDir: ${folder}
      params: DAG_RUN_ID=mine
      steps:
        - name: a step
          command: 'echo "$DAG_NAME|\${DAG_RUN_ID}|\${DAG_RUN_STEP_NAME}|$DAG_RUN_LOG_FILE|\${DAG_RUN_STEP_STDOUT_FILE}|$DAG_RUN_STEP_STDERR_FILE|$PWD|$DAG_RUN_STATUS"'
        - {name: overrides, command: echo mine, output: DAG_RUN_LOG_FILE}
      handlerOn:
        exit: 'echo "$DAG_NAME|$DAG_RUN_ID|$DAG_RUN_STEP_NAME|$DAG_RUN_LOG_FILE|$DAG_RUN_STEP_STDOUT_FILE|$DAG_RUN_STEP_STDERR_FILE|$PWD|\${DAG_RUN_STATUS}"'
      `,
      { dagRunId: 'special-1' }
    )
    const { log } = run.run
    const files = (name: string) => `${run.node(name).stdout}|${run.node(name).stderr}`
    expect(run.out('a step')).to.equal(`specials|special-1|a step|${log}|${files('a step')}|${folder}|\n`)
    expect(run.out('onExit')).to.equal(`specials|special-1|onExit|${log}|${files('onExit')}|${folder}|succeeded\n`)
    expect(textOf(log)).to.contain('msg="run started"')
  })
})
