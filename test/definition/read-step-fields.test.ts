/** Repetition, further fields and automatic names of steps. Source: definition-format "Step fields", execution-semantics 1.5.3, 6.2. */
import { expect } from 'chai'
import { namesOf, oneStep, problemsOf, stepOf, stepWith, warningsOf, wrongWith } from './reading.ts'

const repeatOf = (policy: string) => stepWith('command: x', `repeatPolicy: ${policy}`).repeat
const NONE = { exitCodes: [], intervalMs: 0, limit: 0, backoff: 1, maxIntervalMs: 0 }

describe('reader › repeatPolicy (execution-semantics 6.2)', () => {
  for (const [policy, repeat] of Object.entries({
    '{repeat: true}': { ...NONE, mode: 'while' },
    '{repeat: true, condition: c}': { ...NONE, mode: 'while', condition: { condition: 'c' } },
    '{repeat: true, condition: c, expected: e}': {
      ...NONE,
      mode: 'while',
      condition: { condition: 'c', expected: 'e' }
    },
    '{repeat: true, exitCode: [1]}': { ...NONE, mode: 'while', exitCodes: [1] },
    '{repeat: while, condition: c}': { ...NONE, mode: 'while', condition: { condition: 'c' } },
    '{repeat: while, exitCode: 1}': { ...NONE, mode: 'while', exitCodes: [1] },
    '{repeat: until, condition: c}': { ...NONE, mode: 'until', condition: { condition: 'c' } },
    '{repeat: until, exitCode: [0, 2]}': { ...NONE, mode: 'until', exitCodes: [0, 2] },
    '{condition: c, expected: e}': { ...NONE, mode: 'until', condition: { condition: 'c', expected: 'e' } },
    '{repeat: false, condition: c, expected: e}': {
      ...NONE,
      mode: 'until',
      condition: { condition: 'c', expected: 'e' }
    },
    '{condition: c}': { ...NONE, mode: 'while', condition: { condition: 'c' } },
    '{exitCode: [3]}': { ...NONE, mode: 'while', exitCodes: [3] }
  })) {
    it(`6.2 ${policy}`, () => {
      expect(repeatOf(policy)).to.deep.equal(repeat)
    })
  }

  it('6.2 absent or false with nothing: no repeat', () => {
    for (const policy of ['{}', '{repeat: false}', '{intervalSec: 1}', '{repeat: false, limit: 3}']) {
      expect(repeatOf(policy), policy).to.equal(undefined)
    }
  })

  it('6.2 while/until with neither is a load error', () => {
    for (const mode of ['while', 'until']) {
      expect(problemsOf(oneStep('command: x', `repeatPolicy: {repeat: ${mode}, limit: 2}`))).to.deep.equal([
        {
          message: `field 'repeat': repeat mode '${mode}' requires either 'condition' or 'exitCode' to be specified`,
          path: 'steps[0].repeatPolicy.repeat',
          line: 4,
          column: 28
        }
      ])
    }
    expect(wrongWith('command: x', 'repeatPolicy: {repeat: while, exitCode: soon}'), 'told once').to.have.length(1)
  })

  it('6.2 other text is a load error', () => {
    for (const [text, shown] of Object.entries({ forever: 'forever', '"true"': 'true', 3: '3', '[a]': '["a"]' })) {
      expect(wrongWith('command: x', `repeatPolicy: {repeat: ${text}}`), text).to.deep.equal([
        `field 'repeat': invalid value for repeat: '${shown}'. It must be 'while', 'until', or a boolean`
      ])
    }
  })

  it('intervalSec, limit, backoff and maxIntervalSec', () => {
    expect(repeatOf('{repeat: true, intervalSec: 2, limit: 3, backoff: 1.5, maxIntervalSec: 60}')).to.deep.equal({
      ...NONE,
      mode: 'while',
      intervalMs: 2000,
      limit: 3,
      backoff: 1.5,
      maxIntervalMs: 60_000
    })
    expect(wrongWith('command: x', 'repeatPolicy: {repeat: true, limit: -1, backoff: 1}')).to.have.length(2)
    expect(wrongWith('command: x', 'repeatPolicy: {repeat: true, limits: 1}')[0]).to.match(/has invalid keys: limits/)
  })

  it('5.4.1 an invalid pattern in expected is refused at load', () => {
    expect(wrongWith('command: x', 'repeatPolicy: {condition: a, expected: "re:("}')[0]).to.contain(
      'invalid regular expression'
    )
  })
})

describe('reader › further step fields (definition-format "Step fields")', () => {
  it('mailOnError: boolean, default false', () => {
    expect([stepWith('command: x', 'mailOnError: true').mailOnError, stepWith('command: x').mailOnError]).to.deep.equal(
      [true, false]
    )
  })
  it('shellPackages: packages for a shell that installs them', () => {
    expect(stepWith('command: x', 'shellPackages: [jq, curl]').shellPackages).to.deep.equal(['jq', 'curl'])
    expect(stepWith('command: x').shellPackages).to.deep.equal([])
  })
  it('1.9 workerSelector: accepted; effective only on workflows', () => {
    const text = oneStep('command: x', 'workerSelector: {gpu: "1"}')
    expect(stepOf(text).workerSelector).to.deep.equal({ gpu: '1' })
    expect(warningsOf(text)).to.deep.equal(['steps[0].workerSelector: has no effect on a step, only on a workflow'])
  })
  it('13.5.3 onInterrupt on a step; absent: as the DAG says', () => {
    expect(stepWith('command: x', 'onInterrupt: rerun').onInterrupt).to.equal('rerun')
    expect(stepWith('command: x')).not.to.have.property('onInterrupt')
    expect(wrongWith('command: x', 'onInterrupt: again')).to.have.length(1)
  })
})

describe('reader › automatic names (execution-semantics 1.5.3)', () => {
  it('executor type if set, else parallel, dag, script, cmd', () => {
    expect(
      namesOf(
        'steps: [{executor: jq, command: .}, {executor: command, command: x}, {call: k, parallel: [a]}, {call: k},' +
          ' {executor: dag, command: k}, {executor: dag, command: k, parallel: [a]}, {script: x}, {command: "a\\nb"}, x]'
      )
    ).to.deep.equal([
      'jq_1',
      'command_2',
      'parallel_3',
      'dag_4',
      'dag_5',
      'parallel_6',
      'script_7',
      'script_8',
      'cmd_9'
    ])
  })
  it('in a DAG with container or ssh the prefix is container or ssh', () => {
    const steps = 'steps: [x, {script: y}, {executor: shell, command: z}, {call: k}]'
    expect(namesOf(`container: {image: i}\n${steps}`)).to.deep.equal(['container_1', 'container_2', 'shell_3', 'dag_4'])
    expect(namesOf(`ssh: {host: h}\n${steps}`)).to.deep.equal(['ssh_1', 'ssh_2', 'shell_3', 'dag_4'])
  })
})
