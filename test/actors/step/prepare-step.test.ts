/** The input of executors other than shell. Source: execution-semantics 3.3, 3.4, 10 "Common". */
import { expect } from 'chai'
import type { Plan, Step } from '../../../machines/vocabulary.ts'
import type { Services } from '../../../src/actors/root/services.ts'
import { openScope } from '../../../src/actors/run/run-scope.ts'
import { prepareStep } from '../../../src/actors/step/prepare-step.ts'
import type { Executor } from '../../../src/executors/executor.ts'
import { noSecrets } from '../../../src/masking/secrets.ts'
import { key, plan, step } from '../../support/charts/plans.ts'
import { temporaryFolder } from '../../support/homes.ts'

describe('prepare step › executors other than shell', () => {
  const folder = temporaryFolder()

  async function prepared(one: Step, wish: Partial<Plan> = {}, executor: Partial<Executor> = { reads: 'words' }) {
    const scope = openScope({
      key: key(),
      plan: plan([one], wish),
      params: [
        { name: 'P', value: 'par am' },
        { name: 'Q', value: '$(id)"' }
      ],
      env: { E: 'of the DAG' },
      dataEnv: new Set(),
      spec: '',
      runAttempt: 1,
      depth: 0,
      secrets: noSecrets,
      base: { B: 'base' },
      workingDir: folder,
      runLog: `${folder}/run.log`,
      nodeLogs: folder
    })
    // What prepareStep uses of its services.
    const services = {
      scope: () => scope,
      executorFor: () => executor as Executor,
      capture: async ({ argv }: { argv: string[] }) => ({
        exitCode: 0,
        cause: '',
        stdout: `<${argv.at(-1)}>\n`,
        stderr: ''
      }),
      defaultShell: 'sh',
      environment: { SERVER: 'of the server' },
      logs: { write() {} }
    } as unknown as Services
    return prepareStep(
      services,
      { run: key(), place: 0, attempt: 1, resumed: false } as Parameters<typeof prepareStep>[1],
      new AbortController()
    )
  }

  it('command is split into words, `${X}` sees every variable, a value stays in its word; args follow', async () => {
    const { words, command } = await prepared(step('s', { command: 'GET "${E}" | ${P} $B `now`', args: ['${P}'] }))
    expect(words).to.deep.equal(['GET', 'of the DAG', '|', 'par am', 'base', '<now>', 'par am'])
    expect(command).to.equal(undefined)
  })
  it('a list command is its words', async () => {
    const { command: _, ...rest } = step('s', { argv: ['GET', '${E}', 'a b'] })
    expect((await prepared(rest)).words).to.deep.equal(['GET', 'of the DAG', 'a b'])
  })
  it('10.7.1: a filter reaches jq whole; its own variables and quotes stay', async () => {
    const filter = '.a as $x | {"k": "${P}", x: $x, y: "\\($x)"} | select(.b == \'c\')'
    const { command, script, words } = await prepared(
      step('s', { command: filter, script: '{"p": "$5", "e": "${E}"}' }),
      {},
      { reads: 'text' }
    )
    expect(command).to.equal('.a as $x | {"k": "par am", x: $x, y: "\\($x)"} | select(.b == \'c\')')
    expect(script).to.equal('{"p": "$5", "e": "of the DAG"}')
    expect(words).to.equal(undefined)
  })
  it('3.1.5 a script that is passed to a POSIX-like shell: a value in double quotes is escaped, data without quotes is words; another program gets it raw', async () => {
    const script = 'echo "<${Q}>" ${P} \\$P $NO `now`'
    const handedOn = async (wish: Partial<Step>) =>
      (await prepared(step('s', { script, ...wish }), {}, { reads: 'words', handsOnScripts: true })).script
    const { command: _, ...bare } = step('s', { script })
    const alone = await prepared(bare, {}, { reads: 'words', handsOnScripts: true })
    for (const found of [alone.script, await handedOn({ command: 'bash -x' })])
      expect(found).to.equal('echo "<\\$(id)\\">" ${0+par am} \\$P $NO ${0+\\<now\\>}')
    expect(await handedOn({ command: 'python3' })).to.equal('echo "<$(id)">" par am \\$P $NO <now>')
  })
  it('3.3: executor.config is expanded deep', async () => {
    const config = { headers: { A: '${E}' }, list: ['$P', 1, { d: '`now`' }], flag: true }
    expect((await prepared(step('s', { executor: { type: 'http', config } }))).config).to.deep.equal({
      headers: { A: 'of the DAG' },
      list: ['par am', 1, { d: '<now>' }],
      flag: true
    })
  })
  it("3.3: smtp sees the server's environment too, and is there for mail only", async () => {
    const smtp = { host: '${E}', port: '25', username: '$P', password: '${SERVER}' }
    const mail = await prepared(
      step('s', { executor: { type: 'mail', config: { to: '${SERVER}' } } }),
      { smtp },
      { reads: 'words', needs: ['smtp'] }
    )
    expect(mail.smtp).to.deep.equal({ host: 'of the DAG', port: '25', username: 'par am', password: 'of the server' })
    expect(mail.config).to.deep.equal({ to: '' })
    expect((await prepared(step('s', { executor: { type: 'http', config: {} } }), { smtp })).smtp).to.equal(undefined)
  })
})
