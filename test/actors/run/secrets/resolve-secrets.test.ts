/** Where the values of secrets come from, and the errors when they are missing. Source: execution-semantics 14.4.1-14.4.4, 3.4. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Secret } from '../../../../machines/vocabulary.ts'
import { openScope, variablesOf } from '../../../../src/actors/run/run-scope.ts'
import { resolveSecrets } from '../../../../src/actors/run/secrets/resolve-secrets.ts'
import { secretsOf } from '../../../../src/masking/secrets.ts'
import { chain, key, plan, step } from '../../../support/charts/plans.ts'
import { temporaryFolder } from '../../../support/homes.ts'

const folder = temporaryFolder()
const [work, source] = [join(folder, 'work'), join(folder, 'source')]
for (const path of [work, source]) mkdirSync(path)
writeFileSync(join(work, 'both'), 'of work\n')
writeFileSync(join(source, 'both'), 'of source\n')
writeFileSync(join(source, 'one'), 'kept \n\n')
writeFileSync(join(source, 'latin1'), Buffer.from([0xe9]))
writeFileSync(join(source, 'nul'), 'a\0b')

const resolved = async (...secrets: Secret[]) => {
  const own = { OWN: 'of the DAG', BOTH: 'of the DAG', BLANK: '' }
  const environment = { SET: ' as it is \n', EMPTY: '', BOTH: 'of the server', BLANK: 'of the server' }
  const run = { name: 'a', dagRunId: 'r' }
  const sources = { own, environment, workingDir: work, defaultShell: 'sh', run }
  return { ...(await resolveSecrets({ secrets, sourceDir: source }, sources)).values }
}
const env = (name: string, key: string): Secret => ({ name, provider: 'env', key })
const file = (name: string, key: string): Secret => ({ name, provider: 'file', key })
const failure = async (secret: Secret): Promise<string> =>
  resolved(env('FIRST', 'SET'), secret).then(
    () => 'resolved',
    ({ message }: Error) => message
  )

describe('secrets are resolved', () => {
  it("14.4.2 env: a variable of the server's environment, empty too, not trimmed", async () => {
    expect(await resolved(env('A', 'SET'), env('B', 'EMPTY'))).to.deep.equal({ A: ' as it is \n', B: '' })
  })
  it("14.4.2 env: looked for in the DAG's own environment first, where empty is fine, then in the server's", async () => {
    expect(await resolved(env('A', 'OWN'), env('B', 'BOTH'), env('C', 'BLANK'))).to.deep.equal({
      A: 'of the DAG',
      B: 'of the DAG',
      C: ''
    })
  })

  it('14.4.3 file: absolute, or in the working directory, then beside the definition; one newline at the end is dropped', async () => {
    expect(await resolved(file('A', 'both'), file('B', 'one'), file('C', join(source, 'both')))).to.deep.equal({
      A: 'of work',
      B: 'kept \n',
      C: 'of source'
    })
  })

  it('14.4.4 a failure names the secret and how to fix it', async () => {
    const start = 'failed to resolve secrets: secret "A": '
    expect(await failure(env('A', 'NONE'))).to.equal(
      `${start}neither the DAG (dotenv, env) nor the server's environment has a variable NONE; set it in one of them`
    )
    expect(await failure(env('A', 'toString'))).to.contain('has a variable toString')
    expect(await failure(file('A', 'none'))).to.equal(
      `${start}there is no file ${work}/none or ${source}/none; make it, or write its absolute path as the key`
    )
    expect(await failure(file('A', folder))).to.equal(
      `${start}the file ${folder} cannot be read: it is not a regular file`
    )
    expect(await failure(file('A', 'latin1'))).to.contain('is not UTF-8 text')
    expect(await failure(file('A', 'nul'))).to.contain('NUL character')
    expect(await failure(env('my-token', 'SET'))).to.contain('secret "my-token": a step cannot be given a variable')
  })

  it('nothing is looked for when there are no secrets', async () => {
    expect(await resolved()).to.deep.equal({})
  })
})

describe('secrets among the variables of a step', () => {
  const steps = chain(step('a', { output: 'OUT' }), step('b'))
  const scope = openScope({
    key: key(),
    spec: '',
    runAttempt: 1,
    depth: 0,
    plan: plan(steps),
    params: [{ name: 'PARAM', value: 'param' }],
    env: { ENV: 'env', TOKEN: 'of env' },
    dataEnv: new Set(),
    secrets: secretsOf({ TOKEN: 's3cr3t', PARAM: 'secret', PWD: 'secret' }),
    base: { PATH: '/bin' },
    workingDir: work,
    runLog: '',
    nodeLogs: ''
  })
  scope.nodes.set(0, {
    step: 'a',
    status: 'succeeded',
    retryCount: 0,
    doneCount: 1,
    output: '<*******> *******',
    outputMarks: [{ at: 1, secret: 'TOKEN' }]
  })
  const { run, all } = variablesOf(scope, 1, { PWD: work })

  it('3.4 rank 5: over DAG env, under special variables and params', () => {
    expect({ ...all }).to.include({ TOKEN: 's3cr3t', ENV: 'env', PARAM: 'param', PWD: work })
  })

  it('3.3.3 they are not among those that are put into the text of a command', () => {
    expect(run).to.not.have.property('TOKEN')
  })

  it('14.4.8 an output that is masked in the record is clear for later steps', () => {
    expect(all.OUT).to.equal('<s3cr3t> *******')
  })
})
