/** One test per row of the table "DAG-level fields" that is not tested with its own grammar elsewhere: its name, how it runs, what it is given. Source: definition-format, execution-semantics 1.7, 1.8. */
import { expect } from 'chai'
import { planOf as read, messagesOf as wrong } from './reading.ts'

describe('reader › DAG-level fields (definition-format, execution-semantics 1.7, 1.8)', () => {
  it('name, description, group: text', () => {
    expect(read('name: a\ndescription: 1.10\ngroup: " g "')).to.include({ name: 'a', description: '1.10', group: 'g' })
  })
  it('tags: list, or comma separated string', () => {
    expect(read('tags: [A, " b "]').tags).to.deep.equal(['a', 'b'])
    expect(read('tags: A, b,').tags).to.deep.equal(['a', 'b'])
  })
  it('type: chain (default) or graph', () => {
    expect([read('{}').type, read('type: graph').type]).to.deep.equal(['chain', 'graph'])
  })
  it('restartWaitSec: integer, in milliseconds, default 0', () => {
    expect([read('restartWaitSec: 60').restartWaitMs, read('{}').restartWaitMs]).to.deep.equal([60_000, 0])
    expect(wrong('restartWaitSec: -1')).to.deep.equal([
      "field 'restartWaitSec': restartWaitSec must be zero or greater (value: -1)"
    ])
  })
  it('skipIfSuccessful: boolean, default false', () => {
    expect([read('skipIfSuccessful: true').skipIfSuccessful, read('{}').skipIfSuccessful]).to.deep.equal([true, false])
    expect(wrong('skipIfSuccessful: 1')).to.deep.equal(["field 'skipIfSuccessful': must be true or false (value: 1)"])
  })
  it('queue: named queue; unset: that of the DAG', () => {
    expect(read('queue: " batch "').queue).to.equal('batch')
    for (const text of ['{}', 'queue: ""', 'queue:']) expect(read(text), text).not.to.have.property('queue')
  })
  it('maxActiveRuns: 1 when absent or 0; negative = no limit', () => {
    expect(['{}', 'maxActiveRuns: 0', 'maxActiveRuns: -1'].map((text) => read(text).maxActiveRuns)).to.deep.equal([
      1, 1, -1
    ])
  })
  it('maxActiveSteps: 0 = unlimited; negative is an error', () => {
    expect([read('{}').maxActiveSteps, read('maxActiveSteps: 2').maxActiveSteps]).to.deep.equal([0, 2])
    expect(wrong('maxActiveSteps: -1')).to.have.length(1)
  })
  it('delaySec, timeoutSec: seconds, 0 = off; negative is an error', () => {
    expect(read('delaySec: 2\ntimeoutSec: 3')).to.include({ delayMs: 2000, timeoutMs: 3000 })
    expect(read('{}')).to.include({ delayMs: 0, timeoutMs: 0 })
    expect(wrong('delaySec: -1\ntimeoutSec: -1')).to.deep.equal([
      "field 'delaySec': delaySec must be zero or greater (value: -1)",
      "field 'timeoutSec': timeoutSec must be zero or greater (value: -1)"
    ])
  })
  it('maxCleanUpTimeSec: 5 when absent or 0', () => {
    expect(['{}', 'maxCleanUpTimeSec: 0', 'maxCleanUpTimeSec: 7'].map((text) => read(text).cleanUpMs)).to.deep.equal([
      5000, 5000, 7000
    ])
  })
  it('11.13 catchup: none (default), last, all', () => {
    expect(['{}', 'catchup: last', 'catchup: all'].map((text) => read(text).catchup)).to.deep.equal([
      'none',
      'last',
      'all'
    ])
    expect(wrong('catchup: some')).to.deep.equal([
      "field 'catchup': invalid catchup: some (must be one of: none, last, all)"
    ])
  })
  it('histRetentionDays: 30 when absent, 0 is honoured, -1 keeps forever', () => {
    const days = ['{}', 'histRetentionDays: 0', 'histRetentionDays: -1'].map((text) => read(text).histRetentionDays)
    expect(days).to.deep.equal([30, 0, -1])
    expect(wrong('histRetentionDays: 1.5')).to.deep.equal([
      "field 'histRetentionDays': must be an integer (value: 1.5)"
    ])
  })
  it('maxOutputSize: 1048576 when absent', () => {
    expect([read('{}').maxOutputSize, read('maxOutputSize: 9').maxOutputSize]).to.deep.equal([1_048_576, 9])
  })
  it('logDir: kept as written, variables unexpanded', () => {
    expect(read('logDir: /l/${DAG_NAME}').logDir).to.equal('/l/${DAG_NAME}')
    expect(read('{}')).not.to.have.property('logDir')
  })
  it('workingDir, shell: kept as written', () => {
    expect(read('workingDir: ~/x\nshell: bash -e')).to.deep.include({ workingDir: '~/x', shell: ['bash', '-e'] })
  })
  it('env: list of maps or KEY=value strings, or one map', () => {
    const expected = [
      { key: 'A', value: '1' },
      { key: 'B', value: 'x=y' }
    ]
    expect(read('env: [{A: 1}, B=x=y]').env).to.deep.equal(expected)
    expect(read('env: {A: 1, B: "x=y"}').env).to.deep.equal(expected)
  })
  it('dotenv: string or list; null = default .env; [] = none', () => {
    const files = ['{}', 'dotenv:', 'dotenv: a.env', 'dotenv: [a, b]', 'dotenv: []'].map((text) => read(text).dotenv)
    expect(files).to.deep.equal([['.env'], ['.env'], ['a.env'], ['a', 'b'], []])
    expect(wrong('dotenv: {a: b}')).to.deep.equal([
      'field \'dotenv\': must be a string or a list of strings (value: {"a":"b"})'
    ])
  })
  it('params: string of positional values, list, or map', () => {
    const shown = (text: string) => read(text).params.map(({ name, value }) => `${name}=${value}`)
    expect(shown('params: one A=2')).to.deep.equal(['1=one', 'A=2'])
    expect(shown('params: [{A: 2}, three]')).to.deep.equal(['A=2', '2=three'])
    expect(shown('params: {A: 2}')).to.deep.equal(['A=2'])
  })
  it('2.3.1 params: {schema, values}; schema mode only when schema is a string; values may be missing', () => {
    const plan = read('params: {schema: ./s.json, values: {A: 1, B: [x, 2]}}')
    expect(plan.paramSchema).to.equal('./s.json')
    expect(plan.params).to.deep.equal([
      { name: 'A', value: '1', positional: false },
      { name: 'B', value: '["x",2]', isJson: true, positional: false }
    ])
    expect(read('params: {schema: s}').params).to.deep.equal([])
    expect(read('params: {schema: 5}')).to.deep.include({ params: [{ name: 'schema', value: '5', positional: false }] })
    expect(read('params: {schema: 5}')).not.to.have.property('paramSchema')
    expect(wrong('params: {schema: s, value: {}}')).to.deep.equal([
      "field 'params': has invalid keys: value (did you mean values instead of value?)"
    ])
  })
  it('handlerOn: object with success, failure, exit, cancel', () => {
    expect(Object.keys(read('handlerOn: {exit: a, success: b, cancel: c, failure: d}').handlers)).to.have.members([
      'success',
      'failure',
      'cancel',
      'exit'
    ])
  })
  it('runConfig: {disableParamEdit, disableRunIdEdit}', () => {
    expect(read('runConfig: {disableRunIdEdit: true}').runConfig).to.deep.equal({
      disableParamEdit: false,
      disableRunIdEdit: true
    })
    expect(wrong('runConfig: {disableEdit: true}')).to.have.length(1)
  })
  it('1.9 maskEnv: accepted, ignored', () => {
    expect(read('maskEnv: {disable: true, safelist: [A]}')).not.to.have.property('maskEnv')
  })
  it('version and onDrift: as written; continue is the default and says nothing', () => {
    expect(read('version: 7\nonDrift: fail')).to.include({ version: '7', onDrift: 'fail' })
    expect(read('onDrift: continue')).not.to.have.any.keys('version', 'onDrift')
    expect(wrong('onDrift: wait')).to.deep.equal([
      "field 'onDrift': invalid onDrift: wait (must be one of: continue, fail)"
    ])
  })
  it('result: a step, or several by the names that the result gives them; each must be there', () => {
    const steps = 'steps: [{name: load, command: x}, {name: send, command: y}]'
    expect(read(`result: load\n${steps}`).result).to.equal('load')
    expect(read(`result: {rows: load, mail: send}\n${steps}`).result).to.deep.equal({ rows: 'load', mail: 'send' })
    expect(read(steps)).not.to.have.property('result')
    expect(wrong(`result: {rows: laod}\n${steps}`)).to.deep.equal([
      'field \'rows\': there is no step named "laod"; did you mean load?'
    ])
  })
  it('13.5.3 onInterrupt: resume (default), fail, rerun', () => {
    expect(['{}', 'onInterrupt: fail', 'onInterrupt: rerun'].map((text) => read(text).onInterrupt)).to.deep.equal([
      'resume',
      'fail',
      'rerun'
    ])
    expect(wrong('onInterrupt: retry')).to.deep.equal([
      "field 'onInterrupt': invalid onInterrupt: retry (must be one of: resume, fail, rerun)"
    ])
  })
})
