/** Executors, users and limits of steps in the configuration. Source: docs/operating/limits.md. */
import { expect } from 'chai'
import { problemsOf, read } from '../reading.ts'

const problems = (text: string) => problemsOf(() => read(text))

describe('configuration › executors.allow, executors.rules', () => {
  it('nothing is said: all of them', () => {
    expect(read('').allowedTypes).to.equal(undefined)
    expect(read('executors: {allow: []}').allowedTypes).to.equal(undefined)
  })
  it('a list for all, as YAML or as text, and others for groups', () => {
    const text =
      'executors: {allow: "docker, http", rules: [{groups: [ops-*, web], allow: [shell]}, {groups: x, allow: []}]}'
    expect(read(text).allowedTypes).to.deep.equal({
      allow: ['docker', 'http'],
      rules: [
        { groups: ['ops-*', 'web'], allow: ['shell'], where: 'executors.rules[0]' },
        { groups: ['x'], allow: [], where: 'executors.rules[1]' }
      ]
    })
    expect(read('', { ENGINE_EXECUTORS_ALLOW: 'docker' }).allowedTypes).to.deep.equal({ allow: ['docker'], rules: [] })
  })
  it('what says nothing is refused, all at once', () => {
    expect(problems('executors: {rules: [{groups: [], allow: 1}, {group: a, allow: shell}]}')).to.deep.equal([
      'executors.rules[0].groups: wanted a text, or a list of texts, found []',
      'executors.rules[0].allow: wanted a list of texts, or one text with commas, found 1',
      'executors.rules[1]: unknown member group, wanted groups, allow',
      'executors.rules[1].groups: wanted a text, or a list of texts, found nothing'
    ])
    expect(problems('executors: {allowed: shell}')[0]).to.include('unknown setting executors.allowed')
  })
})

describe('configuration › steps', () => {
  it('nothing is said: as the engine, and all there is', () => {
    expect(read('').stepRules).to.equal(undefined)
    expect(read('steps: {limits: {}}').stepRules).to.equal(undefined)
  })
  it('a user and limits for all, and others for groups', () => {
    const text =
      'steps: {runAs: etl:jobs, limits: {memory: 2GiB, cpu: 1.5, pids: 200}, cgroup: /sys/fs/cgroup/x, rules: [{groups: ops-*, runAs: ops}, {groups: [a, b], limits: {cpu: "0.5"}}]}'
    expect(read(text).stepRules).to.deep.equal({
      runAs: 'etl:jobs',
      limits: { memory: 2 * 1024 ** 3, cpu: 1.5, pids: 200 },
      rules: [
        { groups: ['ops-*'], runAs: 'ops', where: 'steps.rules[0]' },
        { groups: ['a', 'b'], limits: { cpu: 0.5 }, where: 'steps.rules[1]' }
      ],
      cgroup: '/sys/fs/cgroup/x'
    })
  })
  it('what says nothing is refused, all at once', () => {
    expect(
      problems(
        'steps: {limits: {memory: 1KiB, cpu: 0, pids: many, disk: 1}, rules: [{groups: a}, {groups: a, runAs: 5, limits: none}]}'
      )
    ).to.deep.equal([
      'steps.limits.memory: wanted a size such as 512MiB or 2GiB, at least 1MiB, found "1KiB"',
      'steps.limits.cpu: wanted a number of processors such as 0.5 or 2, found 0',
      'steps.limits.pids: wanted an integer from 1 to 4194304, found "many"',
      'steps.limits: unknown member disk, wanted memory, cpu, pids',
      'steps.rules[0]: wanted runAs or limits',
      'steps.rules[1].runAs: wanted a user, or user:group, found 5',
      'steps.rules[1].limits: wanted a map such as {memory: 1GiB, cpu: 2, pids: 200}'
    ])
  })
})
