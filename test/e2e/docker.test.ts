/** Containers as workflows use them: docker steps, the container of a run, kill -9. Source: execution-semantics 8.4, 10.2, 13.5.3. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { createEngine, type Engine } from '../../src/index.ts'
import { dockerService, IMAGE } from '../support/docker.ts'
import { temporaryFolder } from '../support/homes.ts'
import { killedAfter, marksIn } from '../support/killed-engine.ts'
import { type Ended, seen, textOf } from '../support/live.ts'
import { eventually, WHEN_BUSY } from '../support/waiting.ts'

describe('docker › workflows', () => {
  const service = dockerService()
  let engine: Engine
  let count = 0
  const open = (home: string) => createEngine({ home, defaultShell: 'sh' })
  const earlier = { ...process.env }
  before(async () => {
    Object.assign(process.env, { DOCKER_HOST: service.address, OUTSIDE: 'seen' }) // the server's environment
    engine = await open(temporaryFolder())
  })
  after(async () => {
    await engine?.close()
    for (const name of ['DOCKER_HOST', 'OUTSIDE']) {
      if (earlier[name] === undefined) delete process.env[name]
      else process.env[name] = earlier[name]
    }
  })
  const start = (spec: string) => engine.start({ spec, name: `docker-${++count}` })
  const run = async (spec: string): Promise<Ended> => seen(await engine.result(await start(spec)))
  const ofRun = ({ name, dagRunId }: { name: string; dagRunId: string }) =>
    service.labelled(`troupe.run=${name}/${dagRunId}`)

  describe('a docker step', () => {
    it('config and words are expanded, output is captured, secrets are masked and reach it by config only', async () => {
      const ended = await run(`
        params: "WHO=world"
        secrets: [{name: TOKEN, provider: env, key: OUTSIDE}]
        env: [DAG_VALUE: hidden]
        steps:
          - name: hello
            executor: {type: docker, config: {image: "\${IMAGE}", autoRemove: true, container: {env: ["T=\${TOKEN}"]}}}
            env: [IMAGE: ${IMAGE}]
            script: |
              echo "hello \${WHO} $T \${DAG_VALUE}"
              env | grep -c VALUE
            output: OUT
            continueOn: {exitCode: [1], markSuccess: true}
          - echo "\${OUT}"
      `)
      expect(ended.out('hello'), ended.err('hello')).to.equal('hello world ******* hidden\n0\n')
      expect(ended.out('cmd_2')).to.equal('hello world ******* hidden\n0\n')
    })
    it('10.2.13: a failure has `exit status <n>` and the end of stderr; retryPolicy works', async () => {
      const ended = await run(`
        steps:
          - name: fails
            executor: {type: docker, config: {image: ${IMAGE}, autoRemove: true}}
            command: sh -c 'echo why >&2; exit 3'
            retryPolicy: {limit: 1}
      `)
      expect(ended.node('fails')).to.include({ status: 'failed', exitCode: 3, retryCount: 1 })
      expect(ended.node('fails').error).to.match(/: exit status 3\nrecent stderr \(tail\):\nwhy\nwhy$/)
    })
    it('10.2.14: a stop sends signalOnStop, SIGKILL follows after maxCleanUpTimeSec', async function () {
      this.retries(WHEN_BUSY)
      const key = await start(`
        type: graph
        maxCleanUpTimeSec: 1
        steps:
          - name: listens
            executor: {type: docker, config: {image: ${IMAGE}, autoRemove: true}}
            signalOnStop: SIGINT
            command: sh -c 'trap "echo int; exit 0" INT; echo up; while true; do sleep 0.1; done'
          - name: deaf
            executor: {type: docker, config: {image: ${IMAGE}, autoRemove: true}}
            command: sh -c 'trap "" TERM; echo up; while true; do sleep 1; done'
      `)
      const logs = () => engine.run(key)?.nodes.map(({ node }) => textOf(node.stdout)) ?? []
      await eventually('both', () => (logs().every((text) => text !== '') && logs().length === 2) || undefined)
      await engine.stop(key)
      const ended = seen(await engine.result(key))
      expect(ended.status).to.equal('canceled')
      expect(ended.statuses).to.deep.equal(['canceled', 'canceled'])
      expect(ended.out('listens')).to.equal('up\nint\n')
      expect(ended.node('deaf').error).to.equal('signal: killed')
      await eventually('their removal', async () => ((await ofRun(key)).length === 0 ? true : undefined))
    })
  })

  describe('`container` of a step', () => {
    it('is made for it alone, also in a run with a container, and removed; texts see the variables of the step', async () => {
      const folder = temporaryFolder()
      writeFileSync(join(folder, 'file'), 'bound')
      const network = await service.client.createNetwork({ Name: 'of-step' })
      try {
        const key = await start(`
        workingDir: ${folder}
        container: {image: ${IMAGE}}
        params: "P=8080"
        steps:
          - {name: shared, script: echo shared >/tmp/mark}
          - name: own
            env: [NAME: from the step]
            container:
              image: ${IMAGE}
              env: [A: "\${NAME}"]
              volumes: ["./file:/in:ro"]
              ports: ["127.0.0.1:0:\${P}"]
              network: of-step
              user: app
              workingDir: /tmp
            script: |
              echo "$A"; cat /in; pwd; whoami; test -e /tmp/mark || echo another
              sleep 1
        `)
        const labels = () => service.labelled(`troupe.run=${key.name}/${key.dagRunId}`)
        const [own] = await eventually('its container', async () => {
          const found = (await labels()).filter(({ Labels }) => Labels['troupe.kind'] === 'step')
          return found.length > 0 && found[0]?.State === 'running' ? found : undefined
        })
        expect(Object.keys(own?.NetworkSettings.Networks ?? {})).to.deep.equal(['of-step'])
        expect(own?.Ports.map(({ PrivatePort, IP }) => [PrivatePort, IP])).to.deep.equal([[8080, '127.0.0.1']])
        const ended = seen(await engine.result(key))
        expect(ended.out('own'), ended.err('own')).to.equal('from the step\nbound/tmp\napp\nanother\n')
        expect(await labels()).to.deep.equal([])
      } finally {
        await network.remove()
      }
    })
    it('a name alone is that of a running container', async () => {
      const made = await service.client.createContainer({ name: 'theirs', Image: IMAGE, Cmd: ['sleep', '600'] })
      await made.start()
      try {
        const ended = await run('steps: [{name: a, container: theirs, command: hostname}]')
        expect(ended.out('a'), ended.err('a')).to.equal(`${made.id.slice(0, 12)}\n`)
      } finally {
        await made.remove({ force: true })
      }
      expect((await run('steps: [{name: a, container: theirs, command: hostname}]')).err('a')).to.equal(
        'container "theirs" is not running\n'
      )
    })
  })

  describe('the container of a run', () => {
    it('10.2.20, 10.2.23, rule 4: one for all steps without executor, and for docker steps, whose config is ignored', async () => {
      const folder = temporaryFolder()
      mkdirSync(join(folder, 'in'))
      writeFileSync(join(folder, 'in', 'file'), 'bound')
      const key = await start(`
        workingDir: ${folder}
        params: "TAG=latest"
        env: [NAME: "of \${OUTSIDE}"]
        container:
          image: "local/busybox:\${TAG}"
          env: [A: "\${NAME} \`echo now\`"]
          volumes: ["./in:/in:ro"]
          workingDir: /tmp
        steps:
          - name: one
            script: |
              echo "$A" >/tmp/made
              pwd; cat /in/file; hostname
          - name: two
            executor: {type: docker, config: {image: no/such:image}}
            command: cat /tmp/made
          - name: three
            workingDir: /home/app
            script: |
              pwd
              cat /etc/hostname
          - name: fails
            command: sh -c 'exit 4'
            continueOn: {failure: true}
          - name: outside
            executor: shell
            command: test -e ${folder}/in/file && echo outside
        handlerOn:
          exit:
            command: hostname
      `)
      const ended = seen(await engine.result(key))
      expect(ended.statuses, ended.run.error).to.deep.equal([
        ...['succeeded', 'succeeded', 'succeeded', 'failed', 'succeeded']
      ])
      const [pwd, boundAndHost = ''] = ended.out('one').split('\n')
      const host = boundAndHost.replace('bound', '')
      expect([pwd, ended.out('two'), ended.out('three')]).to.deep.equal([
        '/tmp',
        'of seen now\n',
        `/home/app\n${host}\n`
      ])
      expect(ended.out('outside')).to.equal('outside\n')
      expect(ended.out('onExit')).to.equal(`${host}\n`)
      expect(ended.node('fails').error).to.include('exec failed with exit code: 4')
      expect(await ofRun(key), '10.2.24: it is removed').to.deep.equal([])
    })
    it('8.4: one that cannot be made fails the run: no step, no handler', async () => {
      const ended = await run(`
        container: {image: "no-such-registry.invalid/image:1", pull: never}
        steps: [{name: a, command: "true"}]
        handlerOn: {exit: {command: "true"}, failure: {command: "true"}}
      `)
      expect(ended.status).to.equal('failed')
      expect(ended.statuses).to.deep.equal(['not_started'])
      expect(ended.run.error)
        .to.include('failed to start the container of the run: ')
        .and.match(/no such image/i)
      expect(Object.values(ended.handlers).map(({ node }) => node.status)).to.deep.equal(['not_started', 'not_started'])
    })
    it('10.2.22: one that exits early fails at once, with its log, and is removed', async function () {
      this.retries(WHEN_BUSY)
      const began = performance.now()
      const key = await start(`
        container: {image: ${IMAGE}, startup: command, command: [sh, -c, "echo too bad; exit 3"], logPattern: never}
        steps: [{name: a, command: "true"}]
      `)
      const ended = seen(await engine.result(key))
      expect(performance.now() - began).to.be.lessThan(5_000)
      expect(ended.run.error).to.match(/ended before it was ready: exit code 3\nlast lines of its log:\ntoo bad$/)
      expect(await ofRun(key)).to.deep.equal([])
    })
    it('10.2.22: logPattern is waited for, on any line of its log', async () => {
      const ended = await run(`
        container:
          image: ${IMAGE}
          startup: command
          command: [sh, -c, "sleep 1; echo 1 >/tmp/ready; echo 'now r3ady' >&2; sleep 600"]
          logPattern: "r\\\\d[a-z]+$"
        steps: [{name: a, command: cat /tmp/ready}]
      `)
      expect(ended.out('a'), ended.run.error).to.equal('1\n')
    })
    it('10.2.22: healthy falls back to running with a warning when the image has no health check', async () => {
      const ended = await run(`
        container: {image: ${IMAGE}, waitFor: healthy}
        steps: [{name: a, command: "true"}]
      `)
      expect(ended.status).to.equal('succeeded')
      expect(textOf(ended.run.log)).to.include('no health check')
    })
    it('10.2.21, 10.2.26, 10.2.27: an init process is on; ports, network and restartPolicy; 10.2.24: keepContainer', async () => {
      const network = await service.client.createNetwork({ Name: 'own' })
      try {
        const key = await start(`
        container:
          image: ${IMAGE}
          name: kept
          keepContainer: true
          ports: ["80", "127.0.0.1:0:81"]
          network: own
          restartPolicy: unless-stopped
          user: app
        steps: [{name: a, command: "sh -c 'whoami; cat /proc/1/comm'"}]
      `)
        const ended = seen(await engine.result(key))
        expect(ended.out('a'), ended.run.error).to.match(/^app\n(docker-init|tini)\n$/)
        const { State, HostConfig, NetworkSettings, Config } = await service.client.getContainer('kept').inspect()
        expect(State.Running).to.equal(false)
        expect(HostConfig.RestartPolicy?.Name).to.equal('unless-stopped')
        expect(HostConfig.PortBindings).to.have.all.keys('81/tcp')
        expect(Config.ExposedPorts).to.have.all.keys('80/tcp', '81/tcp')
        expect(Object.keys(NetworkSettings.Networks)).to.deep.equal(['own'])
        await service.client.getContainer('kept').remove()
      } finally {
        await network.remove()
      }
    })
    it('10.2.14: a stop signals the process inside; the container is removed after the handlers', async () => {
      const key = await start(`
        container: {image: ${IMAGE}}
        steps: [{name: a, command: "sh -c 'trap \\"echo stopped; exit 0\\" TERM; echo up; sleep 600 & wait'"}]
        handlerOn: {cancel: {command: echo canceled}}
      `)
      await eventually('its start', () => textOf(engine.run(key)?.nodes[0]?.node.stdout) || undefined)
      await engine.stop(key)
      const ended = seen(await engine.result(key))
      expect(ended.status).to.equal('canceled')
      expect(ended.out('a')).to.equal('up\nstopped\n')
      expect(ended.out('onCancel')).to.equal('canceled\n')
      expect(await ofRun(key)).to.deep.equal([])
    })
  })

  describe('kill -9 of the engine', () => {
    const key = { name: 'cut', dagRunId: 'r1' }
    const killed = (home: string, spec: string, marks = 1) => killedAfter(home, `name: cut\n${spec}`, marks)
    /** Containers of the home. */
    const left = (home: string) => service.labelled(`troupe.owner=${textOf(join(home, 'data', 'container-owner'))}`)
    async function goesOn(home: string): Promise<Ended> {
      const again = await open(home)
      try {
        return seen(await again.result(key))
      } finally {
        await again.close()
      }
    }
    const stepWith = (home: string, more = '') => `
steps:
  - name: a
    executor: {type: docker, config: {image: ${IMAGE}, autoRemove: true, host: {binds: ["${home}:/home"]}}}
    script: |
      for i in 1 2 3 4 5; do echo line $i; echo mark >>/home/marks; sleep 0.3; done
    output: OUT
    ${more}
`
    const lines = (numbers: number[]) => numbers.map((number) => `line ${number}\n`).join('')

    it('13.5.3 resume: it is so, too, when the log folder was removed with the records in it', async () => {
      const home = temporaryFolder()
      await killed(home, stepWith(home), 2)
      rmSync(join(home, 'logs'), { recursive: true })
      const ended = await goesOn(home)
      expect(ended.status, ended.node('a').error).to.equal('succeeded')
      expect(ended.out('a')).to.equal(lines([1, 2, 3, 4, 5]))
      expect(marksIn(home)).to.have.length(5)
      expect(await left(home)).to.deep.equal([])
    })
    it('13.5.3 resume: the container is adopted, nothing of its output is lost or doubled', async () => {
      const home = temporaryFolder()
      await killed(home, stepWith(home), 2)
      const ended = await goesOn(home)
      expect(ended.status, ended.node('a').error).to.equal('succeeded')
      expect(ended.out('a')).to.equal(lines([1, 2, 3, 4, 5]))
      expect(await left(home)).to.deep.equal([])
    })
    it('13.5.3 fail: what lives is killed, the node failed', async () => {
      const home = temporaryFolder()
      await killed(home, stepWith(home, 'onInterrupt: fail'))
      const ended = await goesOn(home)
      expect(ended.status).to.equal('failed')
      expect(ended.out('a')).not.to.include('line 5')
      expect(await left(home)).to.deep.equal([])
    })
    it('13.5.3 rerun: what lives is killed, and it is executed again without counting a retry', async () => {
      const home = temporaryFolder()
      await killed(home, stepWith(home, 'onInterrupt: rerun'))
      const ended = await goesOn(home)
      expect(ended.node('a')).to.include({ status: 'succeeded', retryCount: 0 })
      expect(ended.out('a').endsWith(lines([1, 2, 3, 4, 5]))).to.equal(true)
      expect(await left(home)).to.deep.equal([])
    })
    it('the container of an open run is found again, and removed at the end of the run', async () => {
      const home = temporaryFolder()
      await killed(
        home,
        `
container: {image: ${IMAGE}, volumes: ["${home}:/home"]}
steps:
  - {name: a, command: "sh -c 'hostname >/tmp/name; echo mark >>/home/marks; sleep 1'"}
  - {name: b, script: 'test "$(hostname)" = "$(cat /tmp/name)"'}
`
      )
      const ended = await goesOn(home)
      expect(ended.statuses, `${ended.node('a').error} ${ended.err('b')}`).to.deep.equal(['succeeded', 'succeeded'])
      expect(await left(home)).to.deep.equal([])
    })
    it('13.5.3: a command in the container of a run ends with its own exit code, whatever it has written since', async () => {
      const home = temporaryFolder()
      await killed(
        home,
        `
container: {image: ${IMAGE}, volumes: ["${home}:/home"]}
steps:
  - {name: a, script: 'echo mark >>/home/marks; sleep 1; echo out; echo err >&2; sleep 1; exit 0'}
  - {name: b, command: "true"}
  - {name: c, script: 'echo mark >>/home/marks; echo out; echo err >&2; exit 3'}
`
      )
      const ended = await goesOn(home)
      expect(ended.statuses, ended.node('a').error).to.deep.equal(['succeeded', 'succeeded', 'failed'])
      expect(ended.node('c')).to.include({ exitCode: 3 })
    })
    it("13.5.3: in somebody else's container nothing is left: a code that Docker has lost is told as such, never guessed", async () => {
      const home = temporaryFolder()
      const HostConfig = { Binds: [`${home}:/home`] }
      const made = await service.client.createContainer({
        name: 'not-ours',
        Image: IMAGE,
        Cmd: ['sleep', '600'],
        HostConfig
      })
      await made.start()
      try {
        await killed(
          home,
          `
steps:
  - name: a
    executor: {type: docker, config: {containerName: not-ours}}
    script: |
      sleep 1; echo mark >>/home/marks; sleep 1
      for i in 1 2 3 4; do echo o; echo e >&2; sleep 0.3; done; ls -A /dev/shm >>/home/marks; echo over >>/home/marks; exit 3
`
        )
        const ended = await goesOn(home)
        expect(ended.node('a')).to.include({ status: 'failed', exitCode: 1 })
        expect(ended.node('a').error).to.match(/^interrupted: outcome unknown: .*exit code/)
        expect(marksIn(home)).to.deep.equal(['mark', 'over'])
      } finally {
        await made.remove({ force: true })
      }
    })
    it('P9 a container that ended in time while the engine was down keeps its end, although its time limit is over since', async () => {
      const home = temporaryFolder()
      const config = `{image: ${IMAGE}, autoRemove: true, host: {binds: ["${home}:/home"]}}`
      const script = "'echo mark >>/home/marks; sleep 0.5'"
      const step = `{name: a, timeoutSec: 2, executor: {type: docker, config: ${config}}, script: ${script}}`
      await killed(home, `steps: [${step}]`)
      await new Promise((resolve) => setTimeout(resolve, 2_500)) // nobody is there
      const openedAt = Date.now()
      const node = (await goesOn(home)).node('a')
      expect(node.status, node.error).to.equal('succeeded')
      expect(node.finishedAt).to.be.within(node.startedAt ?? 0, openedAt)
    })
    it('a container that was adopted is at work for whoever asks why the run waits, not about to be started', async () => {
      const home = temporaryFolder()
      const config = `{image: ${IMAGE}, autoRemove: true, host: {binds: ["${home}:/home"]}}`
      const script = "'echo mark >>/home/marks; while [ ! -e /home/go ]; do sleep 0.1; done'"
      await killed(home, `steps: [{name: a, executor: {type: docker, config: ${config}}, script: ${script}}]`)
      const again = await open(home)
      try {
        expect(again.facts.explain(key, 'a').reasons.map(({ cause }) => cause)).to.deep.equal(['executing'])
        writeFileSync(join(home, 'go'), '')
        expect((await again.result(key)).run.status).to.equal('succeeded')
      } finally {
        await again.close()
      }
    })
    it("a run that cannot go on after a restart: its command in somebody else's container is killed", async () => {
      const home = temporaryFolder()
      const HostConfig = { Binds: [`${home}:/home`] }
      const made = await service.client.createContainer({ Image: IMAGE, Cmd: ['sleep', '600'], HostConfig })
      await made.start()
      try {
        writeFileSync(join(home, 'secret'), 'hush')
        await killed(
          home,
          `
secrets: [{name: TOKEN, provider: file, key: ${home}/secret}]
steps:
  - name: a
    executor: {type: docker, config: {containerName: ${made.id}}}
    script: echo mark >>/home/marks; exec sleep 500
`
        )
        rmSync(join(home, 'secret'))
        expect((await goesOn(home)).node('a')).to.include({ status: 'failed' })
        const again = await open(home)
        const processes = async () => JSON.stringify((await made.top()).Processes)
        await eventually('its end', async () => ((await processes()).includes('sleep 500') ? undefined : true))
        await again.close()
      } finally {
        await made.remove({ force: true })
      }
    })
    it('what a run that has ended has left is removed at the next start', async () => {
      const home = temporaryFolder()
      const first = await open(home)
      const step = `{executor: {type: docker, config: {image: ${IMAGE}, autoRemove: true}}, command: "true"}`
      await first.result(await first.start({ spec: `name: cut\nsteps: [${step}]` }))
      await first.close()
      const owner = textOf(join(home, 'data', 'container-owner'))
      const labels = { 'troupe.owner': owner, 'troupe.run': 'cut/gone' }
      for (const kind of ['run', 'step']) {
        const made = await service.client.createContainer({
          Image: IMAGE,
          Cmd: ['sh', '-c', 'trap exit TERM; while true; do sleep 0.1; done'],
          Labels: { ...labels, 'troupe.kind': kind, 'troupe.keep': 'false' }
        })
        await made.start()
      }
      const foreign = await service.client.createContainer({ Image: IMAGE, Labels: { 'troupe.owner': 'another' } })
      const again = await open(home)
      const gone = async () => ((await left(home)).length === 0 ? true : undefined)
      await eventually('their removal', gone, 15_000) // both are stopped first, on a machine that may be busy
      expect(await service.labelled('troupe.owner=another')).to.have.length(1)
      await foreign.remove()
      await again.close()
    })
  })
})
