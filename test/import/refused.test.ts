/** What a definition of Dagu has and this format has not: one line each, with what to do. Source: docs/operating/coming-from-dagu.md. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { temporaryFolder } from '../support/homes.ts'
import { importInto } from './scene.ts'

/** What does not come over of one definition, and what is to be done. */
async function leftOf(text: string, file = 'dags/one.yaml'): Promise<string[]> {
  const from = temporaryFolder()
  for (const folder of ['dags', 'data']) mkdirSync(join(from, folder))
  writeFileSync(join(from, file), text)
  const { report } = await importInto(temporaryFolder(), from, { dryRun: true })
  return report.entries
    .filter(({ kind }) => kind === 'left')
    .map(({ line, text, advice }) => `${line}: ${text}: ${advice}`)
}

const CORRECT = 'correct it before it can run'

describe('import › what has no counterpart', () => {
  it('a refused step is one line with its cure, whatever else the reader says of it', async () => {
    expect(await leftOf('steps:\n  - id: a\n    action: postgres.query\n    with: {dsn: x, query: y}\n')).to.deep.equal(
      ['3: action postgres.query has no counterpart here: write a command: psql']
    )
    expect(await leftOf('steps:\n  - name: a\n    type: sqlite\n    config: {dsn: x}\n    command: y\n')).to.deep.equal(
      ['3: a step of type sqlite has no counterpart here: write a command: sqlite3']
    )
    expect(await leftOf('steps:\n  - name: a\n    foreach: {items: [1]}\n')).to.have.length(1)
  })
  it('every key that there is not has a line with a cure', async () => {
    const dag = [
      'tools',
      'resources',
      'inputs',
      'outputs',
      'dependencies',
      'harnesses',
      'llm',
      'kubernetes',
      'redis',
      's3',
      'step_types',
      'actions',
      'webhook',
      'artifacts',
      'log_output',
      'catchup_window',
      'overlap_policy',
      'retry_policy',
      'hist_retention_runs'
    ]
    const step = ['artifacts', 'outputs', 'llm', 'agent', 'output_schema', 'stdin', 'log_output', 'tools', 'worktree']
    for (const [keys, textOf] of [
      [dag, (key: string) => `${key}: {a: 1}\nsteps: [echo a]\n`],
      [step, (key: string) => `steps:\n  - name: a\n    command: x\n    ${key}: {a: 1}\n`]
    ] as const)
      for (const key of keys) {
        const left = await leftOf(textOf(key))
        expect(left, key).to.have.length(1)
        expect(left[0], key).to.contain(`${key} has no counterpart here: `).and.not.contain(CORRECT)
      }
    expect(await leftOf('handler_on: {wait: {command: x}}\nsteps: [echo a]\n')).to.have.length(1)
  })
  it('every kind of step that there is not has a cure of its own', async () => {
    for (const type of [
      'kubernetes',
      'postgres',
      'sqlite',
      'redis',
      's3',
      'sftp',
      'chat',
      'harness',
      'agent',
      'my_own'
    ]) {
      const left = await leftOf(`steps:\n  - name: a\n    type: ${type}\n    command: x\n`)
      expect(left, type).to.have.length(1)
      expect(left[0], type).to.not.contain(CORRECT).and.not.contain('a command or a script that does it')
    }
    for (const action of [
      'chat.completion',
      'harness.run',
      'state.get',
      'data.convert',
      'artifact.write',
      'sftp.upload',
      'python@v1'
    ])
      expect((await leftOf(`steps:\n  - name: a\n    action: ${action}\n`)).join(), action)
        .to.not.contain(CORRECT)
        .and.not.contain('a command or a script that does it')
  })
  it('agents, language models, package managers and Kubernetes are refused by name', async () => {
    expect((await leftOf('steps:\n  - name: a\n    action: agent.run\n')).join()).to.contain(
      'no agent or language model runs here'
    )
    expect((await leftOf('tools: [jq]\nsteps: [echo a]\n')).join()).to.contain('no programs are installed here')
    expect((await leftOf('steps:\n  - name: a\n    type: k8s\n')).join()).to.contain(
      'no jobs of Kubernetes are made here'
    )
    expect((await leftOf('steps:\n  - name: a\n    action: x@1\n')).join()).to.contain(
      'no packages of actions are loaded here'
    )
  })
  it('a value that there is not is one line, too', async () => {
    for (const text of [
      'container: web\nsteps: [echo a]\n',
      'secrets: [{name: A, provider: vault, key: x}]\nsteps: [echo a]\n',
      'secrets: [{name: A, ref: team/x}]\nsteps: [echo a]\n',
      'schedule:\n  - at: 2030-01-01T00:00:00Z\nsteps: [echo a]\n',
      'steps:\n  - name: a\n    command: x\n    stdout: {artifact: y}\n',
      'steps:\n  - name: a\n    command: x\n    output: {a: {from: stdout}}\n',
      'type: agent\nsteps: [echo a]\n',
      'mail_on: {wait: true}\nsteps: [echo a]\n',
      'steps:\n  - name: a\n    executor: {type: postgres, config: {dsn: x}}\n    command: x\n',
      'steps:\n  - name: a\n    executor: router\n    command: x\n',
      'steps:\n  - name: a\n    type: kubernetes\n    run: x y\n    with: {image: z}\n',
      'steps:\n  - name: a\n    run: x y\n    with: {zork: z}\n',
      'steps:\n  - name: a\n    command: x\n    preconditions: [{eval: "1 > 0"}]\n',
      'preconditions: {eval: "1 > 0"}\nsteps: [echo a]\n'
    ]) {
      const left = await leftOf(text)
      expect(left, text).to.have.length(1)
      expect(left[0], text).to.not.contain(CORRECT)
    }
    for (const text of [
      'worker_selector: local\nsteps: [echo a]\n',
      'steps:\n  - name: a\n    command: x\n    worker_selector: local\n',
      'steps:\n  - name: a\n    type: hitl\n    config: {prompt: Go on?}\n',
      'steps:\n  - name: a\n    type: log\n    config: {message: x}\n'
    ])
      expect(await leftOf(text), text).to.deep.equal([])
  })
  it('a mistake beside it is told all the same', async () => {
    const left = await leftOf('tools: [jq]\nzork: 1\nsteps:\n  - name: a\n    action: s3.get\n    timeout_sec: soon\n')
    expect(left.filter((one) => one.includes(CORRECT))).to.have.length(2)
    expect(left.filter((one) => one.includes('zork')).join()).to.not.contain('tools')
  })
  it('in the base file as well', async () => {
    expect(await leftOf('tools: [jq]\n', 'base.yaml')).to.deep.equal([
      '1: tools has no counterpart here: no programs are installed here: have them on the machine, or give the steps a container whose image has them'
    ])
  })
})
