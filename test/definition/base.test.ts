import { expect } from 'chai'
import { readDefinition } from '../../src/definition/read.ts'
import { planOf, warningsOf } from './reading.ts'

const withBase = (text: string) => ({ base: { text, path: '/home/x/base.yaml' } })
const merged = (base: string, text: string) => planOf(text, withBase(base))
const problems = (base: string, text = 'name: a') => readDefinition(text, withBase(base)).problems

describe('reader › base file (execution-semantics 1.2, api-semantics 10.2)', () => {
  it('1.2.1 is merged under every document, local workflows included', () => {
    const plan = merged('timeoutSec: 9\ngroup: base', 'name: a\n---\nname: b\ngroup: own')
    expect([plan.timeoutMs, plan.group]).to.deep.equal([9000, 'base'])
    expect(plan.locals.map(({ timeoutMs, group }) => [timeoutMs, group])).to.deep.equal([[9000, 'own']])
  })

  it('1.2.2 a value of the document replaces the base value, in any case of its name', () => {
    const plan = merged('timeoutSec: 9\nshell: [bash, -e]\nMaxActiveSteps: 4', 'TIMEOUTSEC: 3\nshell: [sh]')
    expect(plan).to.deep.include({ timeoutMs: 3000, shell: ['sh'], maxActiveSteps: 4 })
  })

  it('1.2.2 a value written as the default counts as set; a null does not', () => {
    const base = 'timeoutSec: 9\nskipIfSuccessful: true'
    expect(merged(base, 'timeoutSec: 0\nskipIfSuccessful: false')).to.include({ timeoutMs: 0, skipIfSuccessful: false })
    expect(merged(base, 'timeoutSec:')).to.include({ timeoutMs: 9000 })
  })

  it('1.2.2 env, dotenv, tags and params are appended, base first', () => {
    const plan = merged(
      'env: {A: 1}\ndotenv: base.env\ntags: X, y\nparams: one N=1',
      'env: [B=2]\ndotenv: [own.env]\ntags: [z]\nparams: [{M: 2}, two]'
    )
    expect(plan.env.map(({ key }) => key)).to.deep.equal(['A', 'B'])
    expect(plan.dotenv).to.deep.equal(['base.env', 'own.env'])
    expect(plan.tags).to.deep.equal(['x', 'y', 'z'])
    expect(plan.params.map(({ name, value }) => `${name}=${value}`)).to.deep.equal(['1=one', 'N=1', 'M=2', '4=two'])
  })

  it('params with a schema are replaced, not appended', () => {
    const plan = merged('params: A=1', 'params: {schema: s.json, values: {B: 2}}')
    expect([plan.paramSchema, plan.params.map(({ name }) => name)]).to.deep.equal(['s.json', ['B']])
  })

  it('1.2.2 mailOn is replaced whole', () => {
    expect(merged('mailOn: {failure: true, success: true}', 'mailOn: {failure: false}').mailOn).to.deep.equal({
      failure: false,
      success: false
    })
  })

  it('1.2.2 maps and nested objects are merged key by key', () => {
    const plan = merged(
      'smtp: {host: h, port: 25}\nerrorMail: {from: a, to: b}\notel: {enabled: true, resource: {A: 1, B: 2}}\nhandlerOn: {exit: {command: x, timeoutSec: 5}, failure: f}',
      'smtp: {PORT: 26}\nerrorMail: {to: c}\notel: {resource: {B: 3}}\nhandlerOn: {exit: {command: y}, success: s}'
    )
    expect(plan.smtp).to.include({ host: 'h', port: '26' })
    expect(plan.errorMail).to.deep.include({ from: 'a', to: ['c'] })
    expect(plan.otel).to.deep.include({ enabled: true, resource: { A: '1', B: '3' } })
    expect(Object.keys(plan.handlers)).to.have.members(['exit', 'failure', 'success'])
    expect(plan.handlers.exit).to.include({ command: 'y', timeoutMs: 5000 })
  })

  it('another name of a key counts as that key', () => {
    expect(merged('container: {image: i, pullPolicy: always}', 'container: {pull: never}').container?.pull).to.equal(
      'never'
    )
    expect(merged('ssh: {ip: 10.0.0.1}', 'ssh: {host: h}').ssh?.host).to.equal('h')
    expect(merged('precondition: a', 'preconditions: b').preconditions).to.deep.equal([{ condition: 'b' }])
  })

  it('1.2.3 type and maxActiveRuns of the base stand when the document is silent', () => {
    expect(merged('type: graph\nmaxActiveRuns: 5\nhistRetentionDays: 7', 'name: a')).to.include({
      type: 'graph',
      maxActiveRuns: 5,
      histRetentionDays: 7
    })
  })

  it('it never supplies name, steps, schedule; each is warned of', () => {
    const base = 'name: base\nsteps: [x]\nschedule: nonsense\ngroup: g'
    const plan = merged(base, 'description: d')
    expect([plan.name, plan.steps, plan.schedule.start, plan.group]).to.deep.equal(['demo', [], [], 'g'])
    expect(warningsOf('description: d', withBase(base))).to.deep.equal(
      ['name', 'steps', 'schedule'].map((key) => `base config: ${key} has no effect there`)
    )
  })

  it('1.2.1 unknown key and every other problem: failed to decode base config, with its own place', () => {
    const found = problems('timeoutSec: -1\nfoo: 1', 'name: a\nbar: 1\nsteps: [b]')
    expect(found.map(({ message }) => message)).to.deep.equal([
      "failed to decode base config: field 'timeoutSec': timeoutSec must be zero or greater (value: -1) (base.yaml line 1, column 13)",
      'failed to decode base config: has invalid keys: foo (base.yaml line 2, column 1)',
      'has invalid keys: bar'
    ])
    expect(found.map(({ line }) => line)).to.deep.equal([undefined, undefined, 2])
    expect(readDefinition('name: a', withBase('foo: 1'))).not.to.have.property('plan')
  })

  it('text that is no YAML, no map, or several documents is refused', () => {
    for (const base of ['{', '[a]', 'hello', 'group: a\n---\ngroup: b', '['.repeat(5000), '__proto__: {a: 1}']) {
      const [problem] = problems(base)
      expect(problem?.message, base.slice(0, 20)).to.match(/^failed to decode base config: /)
    }
  })

  it('an empty base file gives nothing', () => {
    for (const base of ['', '# nothing', 'null', '{}']) {
      expect(planOf('name: a', withBase(base)), base).to.deep.equal(planOf('name: a'))
    }
  })

  it('a part that a field lacks may come from the document; what is wrong together is reported without a position', () => {
    expect(merged('container: {pull: never}', 'container: {image: i}').container).to.include({
      image: 'i',
      pull: 'never'
    })
    expect(readDefinition('group: a', { fallbackName: 'a', ...withBase('smtp: {port: 25}') }).problems).to.deep.equal([
      { message: "field 'host': smtp host is required", path: 'smtp.host' }
    ])
  })
})
