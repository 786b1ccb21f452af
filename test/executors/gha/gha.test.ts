/** gha steps on a real Docker engine, with actions from git repositories on this machine. Source: execution-semantics 10.9. */
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { systemClock } from '../../../src/clock.ts'
import { capturing, killLeftCommands } from '../../../src/executors/capture.ts'
import { dockerEngine } from '../../../src/executors/docker/connection.ts'
import type { Execution, Executor } from '../../../src/executors/executor.ts'
import { ghaRequest } from '../../../src/executors/gha/request.ts'
import { openExecutors } from '../../../src/executors/index.ts'
import { type Launcher, openLauncher } from '../../../src/executors/launcher.ts'
import { secretsOf } from '../../../src/masking/secrets.ts'
import { type ActionRepositories, actionRepositories, withNode, writeFiles } from '../../support/actions.ts'
import { dockerService, IMAGE } from '../../support/docker.ts'
import { containerEndMs } from '../../support/end-latency.ts'
import { benchOf } from '../../support/executions.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { textOf } from '../../support/live.ts'
import { step } from '../../support/plans.ts'
import { gone, pidIn } from '../../support/processes.ts'
import { eventually, WHEN_BUSY } from '../../support/waiting.ts'

describe('gha executor', () => {
  const service = dockerService()
  const home = temporaryFolder()
  let repositories: ActionRepositories
  let executor: Executor
  let launcher: Launcher
  const commands = join(temporaryFolder(), 'commands')
  const bench = benchOf(() => executor)
  const open = (environment = service.environment): Executor => {
    const engine = dockerEngine(home, environment, systemClock)
    const found = openExecutors(launcher, capturing(launcher, commands), systemClock, engine).get('gha')
    if (found) return found
    throw new Error('there is no gha executor')
  }
  before(() => {
    repositories = actionRepositories()
    launcher = openLauncher(commands, { PATH: service.environment.PATH ?? '' }, 16, systemClock)
  })
  after(() => launcher?.close())
  beforeEach(() => {
    executor = open()
  })
  afterEach(async () => {
    executor.close?.()
    expect(await left(), 'nothing is left').to.deep.equal([])
    expect(scratch()).to.deep.equal([])
  })
  const scratch = () =>
    existsSync(join(home, 'container-scratch')) ? readdirSync(join(home, 'container-scratch')) : []
  /** Containers of this home. */
  const left = () => service.labelled(`troupe.owner=${textOf(join(home, 'container-owner')) || 'none'}`)
  const given = (reference: string, more: Partial<Execution> = {}): Partial<Execution> => ({
    words: [reference],
    ...more,
    config: { githubInstance: repositories.instance, runner: IMAGE, ...more.config }
  })
  const nodeConfig = (more: Execution['config'] = {}) => ({ containerOptions: withNode(), ...more })
  const outputOf = (run: { out: string; outputFrom?: number }) => JSON.parse(run.out.slice(run.outputFrom))

  describe('composite actions', () => {
    const greet = `
name: greet
inputs:
  who: {description: whom, default: world}
  how often: {default: "1"}
outputs:
  said: {description: what was said, value: "\${{ steps.say.outputs.said }}"}
  where: {value: "\${{ github.workspace }}"}
runs:
  using: composite
  steps:
    - id: say
      shell: sh
      env: {WHO: "\${{ inputs.who }}"}
      run: |
        echo "hello $WHO, $INPUT_HOW_OFTEN"
        echo "said=hello $WHO" >>"$GITHUB_OUTPUT"
        echo "LATER=from the step before" >>"$GITHUB_ENV"
        mkdir -p "$RUNNER_TEMP/bin"; echo 'echo tool' >"$RUNNER_TEMP/bin/tool"; chmod +x "$RUNNER_TEMP/bin/tool"
        echo "$RUNNER_TEMP/bin" >>"$GITHUB_PATH"
    - shell: sh
      run: 'echo "$LATER"; tool; cat "$GITHUB_EVENT_PATH" >&2; ls "$GITHUB_ACTION_PATH"'
`
    it('10.9.4: shell steps in order; inputs as INPUT_*; GITHUB_OUTPUT, GITHUB_ENV and GITHUB_PATH; outputs as a JSON object', async () => {
      repositories.commit('acme/greet', { 'action.yml': greet, 'file.txt': 'x' }, 'v1')
      const run = await bench.run(given('acme/greet@v1', { inputs: { WHO: 'you', 'how often': '2' } }))
      expect(run.exitCode, run.err).to.equal(0)
      expect(run.out.slice(0, run.outputFrom)).to.equal(
        'hello you, 2\nfrom the step before\ntool\naction.yml\nfile.txt\n'
      )
      expect(outputOf(run)).to.deep.equal({ said: 'hello you', where: '/github/workspace' })
      expect(run.err, '10.9.3: messages have their time').to.match(
        /^\d{4}-\d\d-\d\dT[\d:.]+Z fetching acme\/greet@v1$/m
      )
      expect(run.err).to.include('"repository"')
    })
    it('10.9.1: a tag, a branch, a whole commit id, and a folder inside the repository', async () => {
      const action = (text: string) => `runs: {using: composite, steps: [{shell: sh, run: "echo ${text}"}]}`
      const first = repositories.commit('acme/many', { 'sub/dir/action.yaml': action('first') }, 'v1')
      repositories.commit('acme/many', { 'sub/dir/action.yaml': action('second') })
      for (const [ref, said] of [
        ['v1', 'first'],
        ['main', 'second'],
        [first, 'first']
      ])
        expect((await bench.run(given(`acme/many/sub/dir@${ref}`))).out).to.equal(`${said}\n`)
    })
    it('10.9.3, 10.9.4: an action in the working directory, which is its workspace', async () => {
      writeFiles(bench.folder, {
        'actions/here/action.yml': `runs: {using: composite, steps: [
          {shell: sh, run: "pwd; cat $GITHUB_ACTION_PATH/data; echo made >made.txt"}]}`,
        'actions/here/data': 'data\n'
      })
      const run = await bench.run(given('./actions/here'))
      expect(run.out, run.err).to.equal('/github/workspace\ndata\n')
      expect(readFileSync(join(bench.folder, 'made.txt'), 'utf8')).to.equal('made\n')
    })
    it('if, continue-on-error and working-directory; the first failure is the exit code, and outputs are kept', async () => {
      writeFiles(bench.folder, {
        'flow/action.yml': `
outputs: {a: {value: "\${{ steps.a.outputs.a }}"}}
runs:
  using: composite
  steps:
    - {shell: sh, run: exit 3, continue-on-error: true}
    - {id: a, shell: sh, working-directory: flow, run: 'pwd; echo a=1 >>$GITHUB_OUTPUT'}
    - {shell: sh, if: "inputs.x == 'y'", run: echo never}
    - {shell: sh, run: exit 4}
    - {shell: sh, run: echo not after a failure}
    - {shell: sh, if: failure(), run: echo told}
    - {shell: sh, if: always(), run: exit 5}
`
      })
      const run = await bench.run(given('./flow'))
      expect(run.exitCode).to.equal(4)
      expect(run.out.slice(0, run.outputFrom)).to.equal('/github/workspace/flow\ntold\n')
      expect(outputOf(run)).to.deep.equal({ a: '1' })
    })
    it('10.9.3: the environment is that of the step without the base environment; secrets as action secrets, masked', async () => {
      writeFiles(bench.folder, {
        'secret/action.yml': `runs: {using: composite, steps: [
          {shell: sh, run: 'echo "\${{ secrets.TOKEN }} \${{ github.token }} $OWN \${SERVER-none}"; echo t=$TOKEN >>$GITHUB_OUTPUT'}]}`
      })
      const run = await bench.run(
        given('./secret', {
          env: { SERVER: 'x', OWN: 'own' },
          remoteEnv: { OWN: 'own', TOKEN: 'hush-hush', GITHUB_TOKEN: 'also-hush' },
          masking: { secrets: secretsOf({ TOKEN: 'hush-hush', GITHUB_TOKEN: 'also-hush' }), marks: true }
        })
      )
      expect(run.out.split('\n')[0], run.err).to.equal('******* ******* own none')
    })
  })

  describe('node actions', () => {
    it('10.9.4: pre, main and post; inputs whose names no shell knows; state; outputs', async () => {
      repositories.commit(
        'acme/node',
        {
          'action.yml': `
name: node
inputs: {fetch-depth: {default: "1"}}
runs: {using: node20, pre: pre.js, main: lib/main.js, post: post.js}`,
          'pre.js': `console.log('pre')`,
          'lib/main.js': `
const { appendFileSync } = require('node:fs')
console.log('main', process.env['INPUT_FETCH-DEPTH'], process.env.GITHUB_WORKSPACE, process.env.GITHUB_EVENT_NAME)
appendFileSync(process.env.GITHUB_STATE, 'kept=it\\n')
appendFileSync(process.env.GITHUB_OUTPUT, 'text<<END\\none\\ntwo\\nEND\\n')`,
          'post.js': `console.log('post', process.env.STATE_kept)`
        },
        'v2'
      )
      const run = await bench.run(given('acme/node@v2', { inputs: { 'fetch-depth': '7' }, config: nodeConfig() }))
      expect(run.exitCode, run.err).to.equal(0)
      expect(run.out.slice(0, run.outputFrom)).to.equal('pre\nmain 7 /github/workspace push\npost it\n')
      expect(outputOf(run)).to.deep.equal({ text: 'one\ntwo' })
    })
    it('post runs after a failure too, and the exit code is that of main', async () => {
      writeFiles(bench.folder, {
        'n/action.yml': 'runs: {using: node24, main: m.js, post: p.js}',
        'n/m.js': `console.error('it broke'); process.exit(9)`,
        'n/p.js': `console.log('post')`
      })
      const run = await bench.run(given('./n', { config: nodeConfig() }))
      expect(run).to.include({ exitCode: 9, out: 'post\n' })
      expect(run.err).to.include('it broke\n')
    })
  })

  describe('docker actions', () => {
    const files = (mark: string) => ({
      'action.yml': `
inputs: {who: {default: nobody}}
runs:
  using: docker
  image: Dockerfile
  env: {EXTRA: "\${{ inputs.who }}!"}
  args: ["--to", "\${{ inputs.who }}"]`,
      Dockerfile: `FROM ${IMAGE}\nCOPY entry.sh /entry.sh\nENTRYPOINT ["sh", "/entry.sh"]\n`,
      'entry.sh': `echo "${mark} $@ $EXTRA $INPUT_WHO $(pwd)"; echo "n=1" >>"$GITHUB_OUTPUT"; exit \${CODE:-0}\n`
    })
    it('10.9.4: the image is built, args and env are filled in, outputs are read; the exit code is its own', async () => {
      repositories.commit('acme/box', files('one'), 'v1')
      const run = await bench.run(given('acme/box@v1', { inputs: { who: 'me' }, remoteEnv: { CODE: '6' } }))
      expect(run.exitCode, run.err).to.equal(6)
      expect(run.out.slice(0, run.outputFrom)).to.equal('one --to me me! me /github/workspace\n')
      expect(outputOf(run)).to.deep.equal({ n: '1' })
      expect(run.err).to.match(/Step 1\/3 : FROM/)
    })
    it('10.9.2: forceRebuild: an image of the same commit is built once, and anew when it says so', async () => {
      repositories.commit('acme/box', files('two'), 'v2')
      const builds = async (config: { forceRebuild?: boolean }) =>
        /Step 1\/3/.test((await bench.run(given('acme/box@v2', { config: { ...config } }))).err)
      expect([await builds({}), await builds({}), await builds({ forceRebuild: true })]).to.deep.equal([
        true,
        false,
        true
      ])
    })
    it('docker://image and entrypoint', async () => {
      writeFiles(bench.folder, {
        'd/action.yml': `runs: {using: docker, image: "docker://${IMAGE}", entrypoint: echo, args: [a b, c]}`
      })
      expect((await bench.run(given('./d'))).out).to.equal('a b c\n')
    })
    it('a Dockerfile that cannot be built says why', async () => {
      writeFiles(bench.folder, {
        'bad/action.yml': 'runs: {using: docker, image: Dockerfile}',
        'bad/Dockerfile': `FROM ${IMAGE}\nRUN exit 3\n`
      })
      const run = await bench.run(given('./bad'))
      expect(run.exitCode).to.equal(1)
      expect(run.err).to.match(/the image of the action cannot be built from Dockerfile: .*exit 3.*code: 3/)
    })
  })

  describe('config', () => {
    const script = (run: string) =>
      writeFiles(bench.folder, {
        'c/action.yml': JSON.stringify({ runs: { using: 'composite', steps: [{ shell: 'sh', run }] } })
      })
    it('10.9.2: capabilities, network, containerOptions and dockerSocket reach its container', async () => {
      script('sleep 60')
      const { running, outcome } = bench.start(
        given('./c', {
          config: {
            autoRemove: 'true',
            capabilities: { add: ['SYS_CHROOT'], drop: ['MKNOD'] },
            network: 'none',
            containerOptions: '--cpus 0.5 -m 64m --shm-size=8m -e A=b --hostname runner --add-host h:127.0.0.1',
            dockerSocket: service.address
          }
        })
      )
      const [{ Id: id = '' } = {}] = await eventually('its container', async () => {
        const found = await left()
        return found.some(({ State }) => State === 'running') ? found : undefined
      })
      const { HostConfig: host, Config: config } = await service.client.getContainer(id).inspect()
      running.kill()
      expect(await outcome).to.include({ exitCode: -1, signal: 'killed' })
      expect(host).to.deep.include({
        Privileged: false,
        NetworkMode: 'none',
        NanoCpus: 5e8,
        Memory: 64 * 1024 ** 2,
        ShmSize: 8 * 1024 ** 2,
        CapAdd: ['SYS_CHROOT'],
        CapDrop: ['MKNOD'],
        ExtraHosts: ['h:127.0.0.1']
      })
      expect(host.Binds).to.deep.equal([`${service.address.replace('unix://', '')}:/var/run/docker.sock`])
      expect(config.Hostname).to.equal('runner')
      expect(config.Env).to.include('A=b')
      await eventually('its removal', async () => ((await left()).length === 0 ? true : undefined))
    })
    it('10.9.2: privileged is asked for (not every machine grants it)', () => {
      const request = ghaRequest(bench.execution(given('./c', { config: { privileged: 'true' } })))
      expect(request.host.Privileged).to.equal(true)
      expect(ghaRequest(bench.execution({ words: ['./c'] }))).to.deep.include({
        runner: 'node:24-bookworm',
        autoRemove: true,
        reuse: false,
        forceRebuild: false,
        instance: 'github.com'
      })
    })
    it('10.9.2: autoRemove: false keeps the stopped container', async () => {
      script('true')
      await bench.run(given('./c', { config: { autoRemove: false } }))
      const [kept] = await left()
      expect(kept?.State).to.equal('exited')
      await service.client.getContainer(kept?.Id ?? '').remove()
    })
    it('10.9.2: reuseContainers: what one run leaves inside, the next one finds', async () => {
      script('if test -e /left; then cat /left; fi; echo before >/left')
      const config = { reuseContainers: true }
      expect((await bench.run(given('./c', { config }))).out).to.equal('')
      expect((await bench.run(given('./c', { config }))).out).to.equal('before\n')
      expect((await bench.run(given('./c', { config: { ...config, network: 'none' } }))).out).to.equal('')
      const kept = await left()
      expect(kept.map(({ State }) => State)).to.deep.equal(['exited', 'exited'])
      for (const { Id } of kept) await service.client.getContainer(Id).remove()
    })
    for (const [config, message] of [
      [{ artifacts: { port: 1 } }, 'config.artifacts.path is missing: the folder in which artifacts are kept'],
      [{ artifacts: { path: 'a', port: '70000' } }, 'config.artifacts.port: wanted 1 to 65535, found 70000'],
      [{ containerOptions: '--gpus all' }, 'config.containerOptions: --gpus is not supported, wanted --cpus'],
      [{ containerOptions: '-m lots' }, 'config.containerOptions: --memory wants a size such as 512m, found "lots"'],
      [{ capabilities: [] }, 'config.capabilities: wanted a map'],
      [{ githubInstance: 'ext::sh -c id' }, 'the action acme/none@v1 cannot be fetched from'],
      [{ githubInstance: 'ftp://x' }, 'config.githubInstance: wanted a host, or a URL of https, http, ssh, file']
    ] as const)
      it(`what cannot be done is refused by name: ${JSON.stringify(config)}`, async () => {
        const run = await bench.run(given('acme/none@v1', { config: config as NonNullable<Execution['config']> }))
        expect(run.exitCode).to.equal(1)
        expect(run.err).to.include(message)
      })
  })

  describe('what goes wrong', () => {
    it('10.9.1: one action for each step', async () => {
      for (const words of [[], ['a/b@v1', 'c/d@v1'], ['a/b'], ['a/../b@v1'], ['docker://x']]) {
        const run = await bench.run({ words })
        expect(run.err).to.equal(
          `command: wanted one action: owner/repo@ref, owner/repo/path@ref or ./folder, found "${words.join(' ')}"\n`
        )
      }
    })
    it('a repository or a ref that is not there is named', async () => {
      repositories.commit('acme/there', { 'action.yml': 'runs: {using: composite, steps: []}' })
      expect((await bench.run(given('acme/there@v9'))).err).to.match(
        /the action acme\/there@v9 cannot be fetched from file:\S+: there is no such branch, tag or whole commit id there\n$/
      )
      expect((await bench.run(given('acme/nowhere@v1'))).err).to.match(/acme\/nowhere@v1 cannot be fetched .*not/)
      expect((await bench.run(given('acme/there/sub@main'))).err).to.match(
        /acme\/there\/sub@main: there is no action.yml, nor action.yaml\n$/
      )
    })
    it('inputs that the action does not have, and required ones that are missing, are warned about', async () => {
      writeFiles(bench.folder, {
        'w/action.yml': `{inputs: {need: {required: true}}, runs: {using: composite, steps: [{shell: sh, run: "true"}]}}`
      })
      const run = await bench.run(given('./w', { inputs: { other: 'x' } }))
      expect(run.exitCode).to.equal(0)
      expect(run.err).to.include('warning: the input need is required by the action')
      expect(run.err).to.include('warning: the action has no input other; it has need')
    })
    it('stop: the process inside gets the signal, and nothing after it runs', async () => {
      writeFiles(bench.folder, {
        's/action.yml': `runs: {using: composite, steps: [
          {shell: sh, run: "trap 'echo stopped; exit 143' TERM; echo up; while true; do sleep 0.1; done"},
          {shell: sh, if: always(), run: echo next}]}`
      })
      const { running, execution, outcome } = bench.start(given('./s'))
      await eventually('its start', () =>
        existsSync(execution.stdout) && readFileSync(execution.stdout, 'utf8') !== '' ? true : undefined
      )
      running.stop('SIGTERM')
      expect(await outcome).to.include({ exitCode: -1, signal: 'terminated', out: 'up\nstopped\n' })
    })
    it('kill: one that ignores SIGTERM is gone at once', async function () {
      this.retries(WHEN_BUSY)
      writeFiles(bench.folder, {
        'k/action.yml': `runs: {using: docker, image: "docker://${IMAGE}", entrypoint: sh, args: [-c, "trap '' TERM; echo up; while true; do sleep 1; done"]}`
      })
      const { running, execution, outcome } = bench.start(given('./k'))
      await eventually('its start', () =>
        existsSync(execution.stdout) && readFileSync(execution.stdout, 'utf8') !== '' ? true : undefined
      )
      running.stop('SIGTERM')
      const asked = performance.now()
      running.kill()
      expect(await outcome).to.include({ exitCode: -1 })
      const ms = performance.now() - asked
      expect(ms - (await containerEndMs(service.client))).to.be.lessThan(1_000)
    })
    it('13.5.3: what a crash of the engine has left behind is removed, and the outcome is unknown', async () => {
      writeFiles(bench.folder, {
        'l/action.yml': 'runs: {using: composite, steps: [{shell: sh, run: "echo up; sleep 60"}]}'
      })
      const { execution } = bench.start(given('./l'))
      await eventually('its start', () =>
        existsSync(execution.stdout) && readFileSync(execution.stdout, 'utf8') !== '' ? true : undefined
      )
      const next = open() // the first one is not closed: as after a crash, its container goes on
      const found = next.find(execution)
      expect(found?.over).to.equal(false)
      const error = await found?.ended.then(
        () => undefined,
        (error: Error) => error
      )
      expect(error?.message).to.equal('interrupted: outcome unknown')
      await eventually('its removal', async () => ((await left()).length === 0 ? true : undefined))
      await eventually('the end of the first', () => (scratch().length === 0 ? true : undefined))
      next.close?.()
    })
    it('P23: a secret is not among the outputs, with its quotes neither', async () => {
      writeFiles(bench.folder, {
        'p/action.yml': 'outputs: {told: {value: "it is ${{ secrets.PASSWORD }}"}}\nruns: {using: composite, steps: []}'
      })
      const masking = { secrets: secretsOf({ PASSWORD: 'pass"word' }), marks: true }
      expect(outputOf(await bench.run(given('./p', { masking })))).to.deep.equal({ told: 'it is *******' })
    })
    describe('a git that waits for an answer', () => {
      const tools = temporaryFolder()
      const pid = () => pidIn(join(tools, 'helper.pid'))
      /** As git does, it leaves the talking to a helper, which has the streams of it. */
      const waits = () => {
        rmSync(join(tools, 'helper.pid'), { force: true })
        writeFiles(tools, { git: `#!/bin/sh\nsleep 600 &\necho $! >'${tools}/helper.pid'\nwait\n` })
        chmodSync(join(tools, 'git'), 0o755)
        return open({ ...service.environment, PATH: `${tools}:${service.environment.PATH}` })
      }
      it('ends with a stop at once, and so does what it has begun', async () => {
        executor = waits()
        const { running, outcome } = bench.start(given('acme/slow@v1'))
        const helper = await pid()
        running.stop('SIGTERM')
        expect(await outcome).to.include({ exitCode: -1, signal: 'terminated' })
        await gone(helper)
      })
      it('13.5.3: after a crash of the engine the next one ends it, and removes what it had fetched', async () => {
        executor = waits()
        const { execution } = bench.start(given('acme/slow@v1'))
        const helper = await pid()
        expect(scratch()).to.have.length(1)
        executor = open()
        killLeftCommands(join(commands, '..', 'next'))
        const error = await executor.find(execution)?.ended.catch((cause: Error) => cause)
        expect(error).to.have.property('message', 'interrupted: outcome unknown')
        await gone(helper)
      })
      it('is told as missing where there is none', async () => {
        executor = open({ ...service.environment, PATH: tools })
        rmSync(join(tools, 'git'), { force: true })
        expect((await bench.run(given('acme/slow@v1'))).err).to.include(
          ': git is not installed: it is needed to fetch actions'
        )
      })
    })
    it('a step keeps its own words and files apart from those of others', async () => {
      writeFileSync(join(bench.folder, 'plain'), '')
      const run = await bench.run({ ...given('./plain'), step: step('other') })
      expect(run.err).to.include('./plain: there is no action.yml')
    })
  })
})
