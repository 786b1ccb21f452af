/** What is evaluated when a run is loaded. Source: execution-semantics 3.3, 3.5, 3.7. */
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { expect } from 'chai'
import type { Plan } from '../../../machines/vocabulary.ts'
import { leaveLogFolder, logFolderOf } from '../../../src/actors/run/log-folder.ts'
import { fileSafe, hashOf } from '../../../src/actors/run/log-names.ts'
import { type EnvironmentInput, loadEnv, shellOf, workingDirOf } from '../../../src/actors/run/run-environment.ts'
import { TroupeError } from '../../../src/errors.ts'
import { key, plan } from '../../support/charts/plans.ts'
import { temporaryFolder } from '../../support/homes.ts'

const PATH = process.env.PATH ?? '/usr/bin:/bin'
const surroundings = (environment: Record<string, string> = {}): EnvironmentInput => ({
  environment: { PATH, ...environment },
  defaultShell: 'sh'
})
const entries = (env: Record<string, string>) => Object.entries(env).map(([key, value]) => ({ key, value }))
const refusal = async (work: Promise<unknown>) => {
  const error = await work.catch((cause: unknown) => cause)
  if (error instanceof TroupeError) return error
  throw new Error(`wanted a TroupeError, found ${String(error)}`)
}

/** Folders of a definition and of its work, with files in them. */
function scene(files: Record<string, string> = {}) {
  const root = temporaryFolder()
  const [sourceDir, work] = [join(root, 'dags'), join(root, 'work')]
  for (const folder of [sourceDir, work]) mkdirSync(folder)
  for (const [name, text] of Object.entries(files)) writeFileSync(join(root, name), text)
  const load = (wish: Partial<Plan>, environment: Record<string, string> = {}) =>
    loadEnv(plan([], { dotenv: ['.env'], sourceDir, ...wish }), join(root, 'own'), surroundings(environment))
  return { root, sourceDir, work, load }
}

describe('load › dotenv files (3.7)', () => {
  it('3.7.1 the first listed file that exists is read, the others are ignored', async () => {
    const { load } = scene({ 'dags/b': 'B=1', 'dags/c': 'C=1', 'dags/.env': 'E=1' })
    const { values } = await load({ dotenv: ['a', 'b', 'c'] })
    expect({ ...values }).to.deep.equal({ B: '1' })
  })
  it('3.7.1 nothing found is no error; a folder is no file; without a list nothing is read', async () => {
    const { sourceDir, load } = scene({ 'dags/.env': 'E=1' })
    mkdirSync(join(sourceDir, 'folder'))
    for (const dotenv of [['none'], ['folder'], [], ['${UNDEFINED}']]) {
      const { values, warnings } = await load({ dotenv })
      expect({ values: { ...values }, warnings }).to.deep.equal({ values: {}, warnings: [] })
    }
  })
  it('3.7.1 a syntax error is a warning without a value, no variables, and the next run request is not tried', async () => {
    const { sourceDir, load } = scene({ 'dags/a': 'A=1\nS="secret', 'dags/b': 'B=1' })
    const { values, warnings } = await load({ dotenv: ['a', 'b'] })
    expect({ ...values }).to.deep.equal({})
    expect(warnings).to.deep.equal([`the dotenv file ${join(sourceDir, 'a')} is not used: line 2: wanted a closing "`])
  })
  it('a file that is too large is a warning too', async () => {
    const { load } = scene({ 'dags/.env': `A=${'x'.repeat(1024 * 1024)}` })
    expect((await load({})).warnings[0]).to.contain('wanted at most 1048576 bytes')
  })
  it("3.7.2 relative paths: against the DAG's working directory, then the definition's directory", async () => {
    const { work, load } = scene({
      'work/.env': 'A=work',
      'dags/.env': 'A=dags',
      'dags/only': 'B=dags',
      'work/x': 'X=1'
    })
    expect((await load({ workingDir: work })).values.A).to.equal('work')
    expect((await load({ workingDir: '../work' })).values.A, 'a relative one too').to.equal('work')
    expect((await load({ workingDir: work, dotenv: ['only', 'x'] })).values, 'file before folder').to.include({
      B: 'dags'
    })
    expect((await load({})).values.A).to.equal('dags')
  })
  it('3.3 the paths are expanded in the process environment, backticks too; ~ is the home directory', async () => {
    const { root, load } = scene({ 'work/x.prod': 'A=1' })
    expect((await load({ dotenv: ['${ROOT}/`echo work`/x.$STAGE'] }, { ROOT: root, STAGE: 'prod' })).values.A).to.equal(
      '1'
    )
    const { warnings, values } = await load({ dotenv: ['~/troupe-no-such-file', `${root}/work/x.prod`] })
    expect([values.A, warnings.length]).to.deep.equal(['1', 0])
    expect(homedir()).not.to.equal('')
    const { code, message } = await refusal(load({ dotenv: ['`exit 3`'] }))
    expect([code, message]).to.deep.equal([
      'bad_request',
      'field \'dotenv\': a path cannot be evaluated: failed to execute command "exit 3": exit status 3'
    ])
  })
  it('3.3 DAG env sees dotenv; 3.4.1 dotenv over DAG env, also where env refers to the name', async () => {
    const { load } = scene({ 'dags/.env': 'TOKEN=t\nBOTH=dotenv' })
    const env = entries({ URL: 'https://x/${TOKEN}', BOTH: 'dag', COPY: '<${BOTH}>', RUN: '`echo $TOKEN`' })
    expect({ ...(await load({ env })).values }).to.deep.equal({
      TOKEN: 't',
      URL: 'https://x/t',
      BOTH: 'dotenv',
      COPY: '<dotenv>',
      RUN: 't'
    })
  })
  it('Choice: where the working directory depends on env, the entries it needs are evaluated to know where to look', async () => {
    const { root, work, load } = scene({ 'work/.env': 'A=work' })
    const env = entries({
      LOG: `\`echo x >>${root}/ran\``,
      BASE: root,
      SUB: 'work',
      WORK: '${BASE}/${SUB}',
      OTHER: '${A}'
    })
    expect((await load({ env, workingDir: '${WORK}' })).values).to.include({ A: 'work', OTHER: 'work', WORK: work })
    expect(readFileSync(join(root, 'ran'), 'utf8'), 'others are evaluated once').to.equal('x\n')
  })
  it('Choice: a working directory that needs dotenv to be known has its file next to the definition', async () => {
    const { root, load } = scene({ 'dags/.env': `BASE=\${WHERE}` })
    const env = entries({ WORK: '`test -n "$BASE" && echo $BASE`' })
    expect((await load({ env, workingDir: '${WORK}' }, { WHERE: root })).values.WORK).to.equal(root)
  })
})

describe('load › DAG env and directories (3.3, 3.5.4)', () => {
  it('3.5.4 env sees the full environment of the server, and so do its backticks', async () => {
    const { load } = scene()
    const env = entries({ A: '$FOREIGN-${FOREIGN}', B: '`echo $FOREIGN`', C: '${constructor}' })
    const { values } = await load({ env }, { FOREIGN: 'f', ENGINE_AUTH_TOKEN: 't' })
    expect({ ...values }).to.deep.equal({ A: 'f-f', B: 'f', C: '' })
  })
  it('a failing backtick is refused, naming the entry', async () => {
    const { message } = await refusal(scene().load({ env: entries({ A: '`exit 2`' }) }))
    expect(message).to.equal(`field 'env': A cannot be evaluated: failed to execute command "exit 2": exit status 2`)
  })
  it('workingDir sees process environment and DAG env, and runs no backticks', async () => {
    const { root, sourceDir } = scene()
    const at = (workingDir: string) =>
      workingDirOf(plan([], { workingDir, sourceDir }), { SUB: 's' }, join(root, 'own'), surroundings({ ROOT: root }))
    expect(await at('${ROOT}/new/$SUB')).to.equal(join(root, 'new', 's'))
    expect(await at('`x`')).to.equal(join(sourceDir, '`x`'))
  })
  it('shell sees them too, and runs no backticks', async () => {
    const named = shellOf(
      plan([], { shell: ['${SHELL_NAME}', '$X', '`x`'] }),
      { X: 'x' },
      surroundings({ SHELL_NAME: 'bash' })
    )
    expect(await named).to.deep.equal(['bash', 'x', '`x`'])
  })
})

describe('load › logDir (3.3, api-semantics 10.3)', () => {
  const folderOf = (
    logDir: string | undefined,
    given: { env?: Record<string, string>; name?: string; server?: string } = {}
  ) =>
    logFolderOf(
      plan([], logDir === undefined ? {} : { logDir }),
      key('r1', given.name ?? 'etl'),
      given.env ?? {},
      given.server ?? '/srv/logs',
      surroundings({ HOME_OF_LOGS: 'h' })
    )

  it('without one: <log dir>/<DAG name>/<run id>', async () => {
    expect(await folderOf(undefined)).to.equal('/srv/logs/etl/r1')
    expect(await folderOf('${UNDEFINED}'), 'an empty one').to.equal('/srv/logs/etl/r1')
    expect(fileSafe('etl')).to.equal('etl')
  })
  it('it replaces <log dir>/<DAG name>, and sees DAG_NAME, DAG env, the process environment and backticks', async () => {
    const root = temporaryFolder()
    const logDir = `${root}/\${HOME_OF_LOGS}/\${DAG_NAME}-$STAGE-\`echo $STAGE\``
    expect(await folderOf(logDir, { env: { STAGE: 'prod', DAG_NAME: 'other' } })).to.equal(
      join(root, 'h', 'etl-prod-prod', 'r1')
    )
  })
  it("Choice: a relative one is below the server's log directory", async () => {
    const server = temporaryFolder()
    expect(await folderOf('team/a', { server })).to.equal(join(server, 'team', 'a', 'r1'))
  })
  it('two DAGs that share one and a run id do not share a folder; a run that is not started leaves none', async () => {
    const root = temporaryFolder()
    const first = await folderOf(root)
    const second = await folderOf(root, { name: 'load' })
    expect([basename(first), basename(second)]).to.deep.equal(['r1', `r1-${hashOf('load')}`])
    leaveLogFolder(join(second, 'run.log'))
    await new Promise((resolve) => setImmediate(resolve))
    writeFileSync(join(first, 'run.log'), 'x')
    leaveLogFolder(join(first, 'run.log'))
    expect(dirname(first)).to.equal(root)
    expect(readFileSync(join(first, 'run.log'), 'utf8')).to.equal('x')
  })
  it('one that cannot be evaluated or made is refused', async () => {
    expect((await refusal(folderOf('`exit 2`'))).message)
      .to.contain("field 'logDir': failed to execute")
      .and.to.contain('exit status 2')
    const root = temporaryFolder()
    writeFileSync(join(root, 'file'), '')
    chmodSync(join(root, 'file'), 0o600)
    expect((await refusal(folderOf(join(root, 'file', 'x')))).message).to.match(
      /^field 'logDir': .* a part of its path is no folder/
    )
  })
})
