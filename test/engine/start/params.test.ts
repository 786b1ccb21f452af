/** Params of a new run. Source: execution-semantics 2, api-semantics 4.4, 4.5. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Plan } from '../../../machines/vocabulary.ts'
import { systemClock } from '../../../src/clock.ts'
import { paramsText, parseParamWords } from '../../../src/definition/dag/params.ts'
import { checkLocks, needsEnv, overrideOf, paramsOf } from '../../../src/engine/start/params.ts'
import { TroupeError } from '../../../src/errors.ts'
import { plan } from '../../support/charts/plans.ts'
import { temporaryFolder } from '../../support/homes.ts'

const environment = { PATH: process.env.PATH ?? '/usr/bin:/bin', HOME: '/h' }
const withParams = (text: string, wish: Partial<Plan> = {}) => plan([], { params: parseParamWords(text), ...wish })
const started = async (given: Plan, override = '', { evaluated = false, env = {}, own = '/none' } = {}) =>
  paramsText(
    await paramsOf(given, overrideOf(given, override), evaluated, {
      environment,
      defaultShell: 'sh',
      env,
      dataEnv: [],
      own,
      clock: systemClock
    })
  )
const refusal = (work: Promise<unknown> | (() => unknown)) =>
  Promise.resolve(typeof work === 'function' ? undefined : work)
    .then(() => (typeof work === 'function' ? work() : undefined))
    .then(
      () => {
        throw new Error('accepted')
      },
      (error: unknown) => (error instanceof TroupeError ? `${error.code}: ${error.message}` : String(error))
    )

describe('params of a run › evaluation', () => {
  it('2.1.5 DAG env, then the process environment; 2.2.4 defaults are not evaluated again', async () => {
    const given = withParams('A=$X B=${A}-${HOME}')
    expect(await started(given, '', { env: { X: 'x' } })).to.equal('A=x B=x-/h')
    expect(await started(given, 'A=given', { env: { X: 'x' } })).to.equal('A=given B=x-/h')
  })
  it('2.2.6 values that come from the API or a parent run are not evaluated', async () => {
    expect(await started(withParams('A=1'), 'A=$HOME B=`echo x`')).to.equal('A=$HOME B=`echo x`')
  })
  it('api-semantics 4.4 those of the command line are evaluated, and see the defaults', async () => {
    const given = withParams('A=1 B=2')
    expect(await started(given, 'A=$HOME C="`echo $B`-${A}" "${X}"', { evaluated: true, env: { X: 'x' } })).to.equal(
      'A=/h B=2 C=2-/h 3=x'
    )
    const failing = started(given, 'A=`exit 3`', { evaluated: true })
    expect(await refusal(failing)).to.match(/^bad_request: field 'params': invalid parameter value: .*exit status 3/)
  })
  it('a default that is sent back unchanged is evaluated as if it had not been sent', async () => {
    expect(await started(withParams('A=$HOME'), 'A="$HOME"')).to.equal('A=/h')
  })
  it('the variables of the DAG are needed only where something is to be evaluated', () => {
    expect(needsEnv(withParams('A=1', { workingDir: '$X' }), [])).to.equal(false)
    expect(needsEnv(withParams('A=$X'), [])).to.equal(true)
    expect(needsEnv(withParams('A=1'), parseParamWords('A=$X'))).to.equal(true)
    expect(needsEnv(withParams('', { paramSchema: 's.json', workingDir: '$X' }), [])).to.equal(true)
  })
})

describe('params of a run › runConfig locks (2.2.7, api-semantics 4.5)', () => {
  const locked = (disableParamEdit: boolean, disableRunIdEdit: boolean) =>
    withParams('A=1 B="$X y"', { runConfig: { disableParamEdit, disableRunIdEdit } })
  const check = (given: Plan, params: string, dagRunId?: string) => () =>
    checkLocks(given, dagRunId === undefined ? {} : { dagRunId }, overrideOf(given, params))

  it('disableParamEdit: params that differ from the defaults are bad_request', async () => {
    expect(await refusal(check(locked(true, false), 'A=2'))).to.match(
      /^bad_request: params: .*disableParamEdit.*found A$/
    )
    expect(await refusal(check(locked(true, false), 'C=1'))).to.contain('disableParamEdit')
    expect(await refusal(check(locked(true, false), 'bare'))).to.contain('disableParamEdit')
  })
  it('sending the defaults back, in part or whole, or nothing, is fine', () => {
    for (const params of ['', 'A=1', 'A="1" B="$X y"', '{"A": "1"}']) check(locked(true, false), params, 'r1')()
  })
  it('disableRunIdEdit: an id given by the caller is bad_request, an empty one is none', async () => {
    expect(await refusal(check(locked(false, true), '', 'r1'))).to.match(/^bad_request: dagRunId: .*disableRunIdEdit/)
    check(locked(false, true), 'A=2', '')()
    check(locked(false, true), 'A=2')()
  })
})

describe('params of a run › schema (2.3)', () => {
  const schema = JSON.stringify({ properties: { N: { type: 'integer' }, D: { default: 'd' } }, required: ['N'] })
  function scene(folder: 'work' | 'dags' | 'here') {
    const root = temporaryFolder()
    for (const name of ['work', 'dags', 'here']) mkdirSync(join(root, name))
    writeFileSync(join(root, folder, 's.json'), schema)
    return root
  }

  it('2.3.2 path lookup: as given, then under workingDir, then next to the definition file', async () => {
    for (const folder of ['work', 'dags'] as const) {
      const root = scene(folder)
      const given = withParams('N=1', {
        paramSchema: 's.json',
        workingDir: '${ROOT}/work',
        sourceDir: join(root, 'dags')
      })
      expect(await started(given, '', { env: { ROOT: root } }), folder).to.equal('N=1 D=d')
    }
    const root = scene('here')
    expect(
      await started(withParams('N=1', { paramSchema: '$ROOT/here/s.json' }), '', { env: { ROOT: root } })
    ).to.equal('N=1 D=d')
  })
  it('2.3.4 the merged set is validated', async () => {
    const given = withParams('N=x', { paramSchema: 's.json', sourceDir: join(scene('dags'), 'dags') })
    expect(await started(given, 'N=3 M="[1,  2]"')).to.equal('N=3 M=[1,2] D=d')
    expect(await refusal(started(given))).to.equal('bad_request: parameter validation failed: /N: must be integer')
    expect(await refusal(started({ ...given, params: [] }))).to.equal(
      "bad_request: parameter validation failed: /: must have required property 'N'"
    )
  })
  it('2.3.4 an unreadable schema', async () => {
    const root = temporaryFolder()
    writeFileSync(join(root, 'broken'), 'password=hunter2')
    writeFileSync(join(root, 'large'), 'x'.repeat(1024 * 1024 + 1))
    const failure = (paramSchema: string) => refusal(started(withParams('', { paramSchema, sourceDir: root })))
    expect(await failure('none.json')).to.match(/^bad_request: failed to get JSON schema: there is no file none.json/)
    expect(await failure('.'), 'a folder').to.match(/there is no file/)
    expect(await failure('broken')).to.equal('bad_request: failed to get JSON schema: it is not valid JSON')
    expect(await failure('large')).to.contain('wanted at most 1048576 bytes')
  })
})
