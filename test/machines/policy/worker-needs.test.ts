/** What a run needs of a worker. Source: definition-format `workerSelector`, distribution 1. */
import { expect } from 'chai'
import { keyOfNeeds, workerNeeds } from '../../../machines/policy/worker-needs.ts'
import { readDefinition } from '../../../src/definition/read.ts'

const needsOf = (text: string) => {
  const { plan, problems } = readDefinition(text.startsWith('name') ? text : `name: a\n${text}`)
  if (!plan) throw new Error(JSON.stringify(problems))
  return workerNeeds(plan)
}

describe('policy › worker needs', () => {
  it('without a selector, or with an empty one, a run needs no worker', () => {
    expect(needsOf('steps: [echo a]')).to.equal(undefined)
    expect(needsOf('workerSelector: {}\nsteps: [echo a]')).to.equal(undefined)
  })
  it('labels, and the types of its steps and handlers; equal for the same, in whatever order it is written', () => {
    const one = needsOf(`workerSelector: {zone: a, gpu: true}
handlerOn: {exit: {command: GET http://127.0.0.1/, executor: http}}
steps: [{name: a, command: echo}, {name: b, command: .x, executor: jq}]`)
    expect(one).to.deep.equal({ labels: { gpu: 'true', zone: 'a' }, executors: ['http', 'jq', 'shell'] })
    const other = needsOf(`workerSelector: {gpu: "true", zone: a}
steps: [{name: b, command: .x, executor: jq}, {name: a, command: echo}, {name: c, command: GET http://127.0.0.1/, executor: http}]`)
    expect(one && other && keyOfNeeds(one) === keyOfNeeds(other)).to.equal(true)
  })
  it('those of workflows of the same file that it calls, unless they are placed by themselves', () => {
    const needs = needsOf(`name: a
workerSelector: {zone: a}
steps: [{name: x, call: b}, {name: y, call: c}]
---
name: b
steps: [{name: x, command: .x, executor: jq}, {name: y, call: b}]
---
name: c
workerSelector: {zone: b}
steps: [{name: x, command: GET http://127.0.0.1/, executor: http}]`)
    expect(needs).to.deep.equal({ labels: { zone: 'a' }, executors: ['jq'] })
  })
})
