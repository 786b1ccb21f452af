/** What is wrong with a DAG of code is said with its name, the step, and what helps. Source: embedding 1; docs/embedding/README.md. */
import { expect } from 'chai'
import { z } from 'zod'
import { defineDag } from '../../src/builder/define-dag.ts'
import { TroupeError } from '../../src/errors.ts'

/** The problems of a DAG, as a program without types meets them. */
function problemsOf(fields: object, build: unknown = () => {}): string[] {
  try {
    defineDag(fields as { name: string }, build as () => undefined)
  } catch (error) {
    if (!(error instanceof TroupeError)) throw error
    expect(error.code).to.equal('bad_request')
    const { errors = [error.message] } = error.details ?? {}
    return errors as string[]
  }
  return []
}
const dag = { name: 'bad' }
const other = defineDag({ name: 'other' }, (d) => d.shell('theirs', 'true'))
// biome-ignore lint/suspicious/noExplicitAny: a program without types
type Untyped = any

describe('defineDag › bad input', () => {
  it('an asynchronous builder', () => {
    const [problem] = problemsOf(dag, async (d: Untyped) => {
      d.shell('a', 'true')
      await Promise.resolve()
      d.shell('b', 'true')
    })
    expect(problem).to.match(/^DAG "bad": its builder is asynchronous\. .*load what it needs before defineDag/)
  })
  it('a builder that throws, or is none', () => {
    const build = () => {
      throw new Error('no such file')
    }
    expect(problemsOf(dag, build)).to.deep.equal(['DAG "bad": its builder has thrown: no such file'])
    expect(problemsOf(dag, 7)).to.deep.equal(['DAG "bad": wanted a builder function, found 7'])
  })
  it('a step after the end of the builder', () => {
    let late: Untyped
    defineDag(dag, (d) => {
      late = d
    })
    expect(() => late.shell('b', 'true')).to.throw('step "b" was added when the DAG was complete')
  })
  it('a name used twice, an empty name', () => {
    const build = (d: Untyped) => {
      d.shell('a', 'true')
      d.shell('a', 'false')
      d.shell('', 'true')
    }
    expect(problemsOf(dag, build)).to.deep.equal([
      'DAG "bad": step "a": this name is used twice',
      'DAG "bad": a step has no name: wanted a text, found ""'
    ])
  })
  it('a handle of another DAG, a name as text, something else', () => {
    let foreign: Untyped
    defineDag({ name: 'foreign' }, (d) => {
      foreign = d.shell('x', 'true')
    })
    const build = (d: Untyped) => {
      d.shell('a', 'true', { depends: [foreign] })
      d.shell('b', 'true', { depends: ['a'] })
      d.shell('c', 'true', { depends: 7 })
      return { foreign }
    }
    expect(problemsOf(dag, build)).to.deep.equal([
      'DAG "bad": step "a": depends: the handle "x" is of another DAG; a step depends on steps of its own DAG: call the other one, and use its result',
      'DAG "bad": step "b": depends: wanted the handle that the builder returned for step "a", found its name as text',
      'DAG "bad": step "c": depends: wanted a list of handles, found 7',
      'DAG "bad": "foreign" of what the builder returned: wanted the handle of a step of this DAG, found the handle "x" of another DAG'
    ])
  })
  it('a cycle cannot be said: a handle is there when its step is, and the fields of a step name no dependencies', () => {
    const build = (d: Untyped) => d.yaml('a', { command: 'true', depends: ['a'], name: 'b' })
    expect(problemsOf(dag, build)).to.deep.equal([
      'DAG "bad": step "a": name: say it in the call of the builder, not in the fields',
      'DAG "bad": step "a": depends: say it in the call of the builder, not in the fields'
    ])
  })
  it('unknown fields and options, with the one that was meant', () => {
    const build = (d: Untyped) => d.step('a', { timeoutSecs: 5, preconditions: 'x' }, () => 1)
    expect(problemsOf({ name: 'bad', tag: 'x', params: {} }, build)).to.deep.equal([
      'DAG "bad": unknown field tag; did you mean tags?',
      'DAG "bad": params: wanted a Standard Schema (of zod, valibot, arktype and others), found an object'
    ])
    expect(problemsOf(dag, build)).to.deep.equal([
      'DAG "bad": step "a": unknown option timeoutSecs; did you mean timeoutSec?',
      'DAG "bad": step "a": preconditions: wanted a function, found "x"'
    ])
  })
  it('values that the format does not have: named by step', () => {
    const build = (d: Untyped) => {
      d.shell('a', 'true', { retryPolicy: { limit: -1 } })
      d.sleep('b', { for: '10 minutes' })
    }
    const problems = problemsOf({ ...dag, schedule: 'never' }, build)
    expect(problems).to.have.length(3)
    expect(problems[0]).to.match(/^DAG "bad": field 'schedule': /)
    expect(problems[1]).to.match(/^DAG "bad": step "a": field 'limit': /)
    expect(problems[2]).to.match(/^DAG "bad": step "b": field .*for': .*ISO 8601 duration/)
  })
  it('a signal that is not declared; a step without its function', () => {
    const build = (d: Untyped) => {
      d.signal('paidd')
      d.step('a', {})
      d.use('b', 'charge', { params: () => ({}) })
      d.call('c', {}, {})
      d.call('d', other, { params: () => ({}) })
      d.each('e', {}, () => 1)
    }
    expect(problemsOf({ ...dag, signals: { paid: z.object({}) } }, build)).to.deep.equal([
      'DAG "bad": step "paidd": it is no signal of this DAG: declare the schema of its payload under `signals`; did you mean paid?',
      'DAG "bad": step "a": wanted a function, found undefined',
      'DAG "bad": step "b": wanted a function of defineFunction, found "charge"',
      'DAG "bad": step "c": params: wanted a function, found undefined',
      'DAG "bad": step "c": wanted a DAG of defineDag or the name of a definition, found an object',
      'DAG "bad": step "e": items: wanted a function, found undefined'
    ])
  })
  it('a loop: without what decides, without a limit, with both, with an unknown word', () => {
    const build = (d: Untyped) => {
      d.repeat('a', {}, () => 1, {})
      d.repeat('b', {}, () => 1, { until: () => true, while: () => true, limit: 2 })
      d.repeat('c', {}, () => 1, { until: 'ready', limt: 2 })
      d.repeat('d', {}, 7)
    }
    expect(problemsOf(dag, build)).to.deep.equal([
      'DAG "bad": step "a": wanted until or while, found neither',
      'DAG "bad": step "a": limit: wanted the number of passes that there may be, found undefined',
      'DAG "bad": step "b": until and while are exclusive',
      'DAG "bad": step "c": until: wanted a function, found "ready"',
      'DAG "bad": step "c": unknown option limt; did you mean limit?',
      'DAG "bad": step "c": limit: wanted the number of passes that there may be, found undefined',
      'DAG "bad": step "d": passes: wanted an object with until or while, and limit, found undefined',
      'DAG "bad": step "d": wanted a function, found 7'
    ])
  })
  it('a handler: of no kind, twice, of a DAG that has one, with what belongs to steps', () => {
    const build = (d: Untyped) => {
      const a = d.step('a', {}, () => 1)
      d.handler('failed', {}, () => 1)
      d.handler('failure', { depends: [a] }, () => 1)
      d.handler('failure', { reads: ['a'] }, 7)
    }
    expect(problemsOf({ ...dag, handlerOn: { failure: 'true' } }, build)).to.deep.equal([
      'DAG "bad": handler: wanted one of success, failure, cancel, exit, found "failed"',
      'DAG "bad": step "onFailure": unknown option depends',
      'DAG "bad": step "onFailure": this name is used twice',
      'DAG "bad": step "onFailure": reads: wanted the handle that the builder returned for step "a", found its name as text',
      'DAG "bad": step "onFailure": wanted a function, found 7',
      'DAG "bad": handlerOn.failure: the builder has a handler for failure, too: leave one out'
    ])
  })
  it('a call for each item: of something else than a DAG, without items or params', () => {
    const build = (d: Untyped) => d.callEach('a', 'other', { params: 7 })
    expect(problemsOf(dag, build)).to.deep.equal([
      'DAG "bad": step "a": items: wanted a function, found undefined',
      'DAG "bad": step "a": params: wanted a function, found 7',
      'DAG "bad": step "a": wanted a DAG of defineDag, found "other"'
    ])
  })
  it('a DAG of another copy of the package', () => {
    const theirs = Object.defineProperty({ name: 'theirs' }, Symbol.for('troupe.dag'), { value: true })
    const [problem] = problemsOf(dag, (d: Untyped) => d.call('c', theirs, { params: () => ({}) }))
    expect(problem).to.contain('found DAG "theirs" of another copy of the package "troupe"')
  })
})
