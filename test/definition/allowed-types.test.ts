/** Executors that a configuration does not allow are problems of a definition, where they are written. Source: docs/operating/limits.md "Executors". */
import { expect } from 'chai'
import { readDefinition } from '../../src/definition/read.ts'
import { type AllowedTypes, refusalOf } from '../../src/definition/steps/allowed-types.ts'

const DOCKER: AllowedTypes = {
  allow: ['docker'],
  rules: [{ groups: ['ops-*', 'web'], allow: ['command', 'http'], where: 'executors.rules[0]' }]
}
const problems = (text: string, base?: string, allowed = DOCKER) =>
  readDefinition(text, {
    allowed,
    fallbackName: 'it',
    ...(base ? { base: { text: base, path: '/home/base.yaml' } } : {})
  }).problems.map(({ message, path, line, column }) => `${line}:${column} ${path}: ${message}`)
const NO_SHELL = 'the executor shell is not allowed: executors.allow has docker'
const NO_COMMAND = `a command runs in a shell, and ${NO_SHELL}`

describe('definition › executors.allow', () => {
  it('each step of another type is named with its place, in every workflow of the text and in handlers', () => {
    const text = `steps:
  - echo hi
  - {name: ok, executor: {type: docker, config: {image: a}}, command: x}
  - {name: far, executor: {type: ssh, config: {host: h}}, command: x}
  - {name: sub, call: other}
handlerOn: {exit: {script: echo}}
---
name: other
steps:
  - {name: get, executor: http, command: GET http://a.example}
`
    expect(problems(text)).to.deep.equal([
      `2:5 steps[0]: field 'command': ${NO_SHELL}`,
      "4:27 steps[2].executor: field 'executor': the executor ssh is not allowed: executors.allow has docker",
      `6:28 handlerOn.exit.script: field 'script': ${NO_SHELL}`,
      "10:27 documents[1].steps[0].executor: field 'executor': the executor http is not allowed: executors.allow has docker"
    ])
  })
  it('the rule of a group takes the place of the list for all; aliases are the same type', () => {
    expect(problems('group: ops-eu\nsteps: [echo hi]\n')).to.deep.equal([])
    expect(
      problems('group: web\nsteps: [{executor: {type: docker, config: {image: i}}, name: a, command: x}]\n')[0]
    ).to.include('the executor docker is not allowed in the group web: executors.rules[0] has shell, http')
  })
  it('conditions that are commands need a shell; a comparison needs none', () => {
    const step =
      'container: {image: a}\nsteps: [{name: a, command: x, precondition: test -f x, repeatPolicy: {condition: test -f x}}]\n'
    expect(problems(`precondition: test -f y\n${step}`)).to.deep.equal([
      `1:15 precondition: field 'precondition': ${NO_COMMAND}`,
      `3:45 steps[0].precondition: field 'precondition': ${NO_COMMAND}`,
      `3:70 steps[0].repeatPolicy: field 'repeatPolicy': ${NO_COMMAND}`
    ])
    expect(problems('container: {image: a}\nprecondition: {condition: $X, expected: y}\nsteps: [x]\n')).to.deep.equal(
      []
    )
  })
  it('a container of the run needs docker', () => {
    const found = problems('container: {image: a}\nsteps: [x]\n', undefined, { allow: ['shell'], rules: [] })
    expect(found[0]).to.equal(
      "1:12 container: field 'container': the executor docker is not allowed: executors.allow has shell"
    )
  })
  it('what the base file brings is judged by the group of the definition', () => {
    const base = 'handlerOn: {exit: echo over}\n'
    expect(problems('group: web\nsteps: [echo]\n', base)).to.deep.equal([])
    expect(
      problems(
        'container: {image: a}\nsteps: [x]\n',
        'handlerOn: {exit: {executor: {type: ssh, config: {host: h}}, command: x}}\n'
      )[0]
    ).to.match(
      /^undefined:undefined handlerOn\.exit\.executor: field 'executor': the executor ssh is not allowed: executors\.allow has docker \(in the base file\)/
    )
  })
  it('calls and waits are always allowed', () => {
    for (const type of ['dag', 'signal', 'approval', 'sleep'])
      expect(refusalOf({ allow: [], rules: [] }, '', type), type).to.equal(undefined)
  })
})
