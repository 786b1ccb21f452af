/** The container of a run, as workflows use it. Source: execution-semantics 8.4, 10.2.20-10.2.27. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { seen, textOf } from '../../support/engine/live.ts'
import { IMAGE } from '../../support/executors/docker.ts'
import { dockerWorkflows } from '../../support/executors/docker-workflows.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { eventually, WHEN_BUSY } from '../../support/waiting.ts'

describe('docker › workflows', () => {
  const workflows = dockerWorkflows()
  const { service, start, run, ofRun } = workflows

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
      const ended = seen(await workflows.engine.result(key))
      expect(ended.statuses, ended.run.error).to.deep.equal([
        'succeeded',
        'succeeded',
        'succeeded',
        'failed',
        'succeeded'
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
    it('10.2.22: one that exits early fails at once, with its log, and is removed', async function () {
      this.retries(WHEN_BUSY)
      const began = performance.now()
      const key = await start(`
        container: {image: ${IMAGE}, startup: command, command: [sh, -c, "echo too bad; exit 3"], logPattern: never}
        steps: [{name: a, command: "true"}]
      `)
      const ended = seen(await workflows.engine.result(key))
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
        const ended = seen(await workflows.engine.result(key))
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
      await eventually('its start', () => textOf(workflows.engine.run(key)?.nodes[0]?.node.stdout) || undefined)
      await workflows.engine.stop(key)
      const ended = seen(await workflows.engine.result(key))
      expect(ended.status).to.equal('canceled')
      expect(ended.out('a')).to.equal('up\nstopped\n')
      expect(ended.out('onCancel')).to.equal('canceled\n')
      expect(await ofRun(key)).to.deep.equal([])
    })
  })
})
