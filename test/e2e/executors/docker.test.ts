/** Containers of single steps, as workflows use them. Source: execution-semantics 10.2. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { seen } from '../../support/engine/live.ts'
import { IMAGE } from '../../support/executors/docker.ts'
import { dockerWorkflows } from '../../support/executors/docker-workflows.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { eventually } from '../../support/waiting.ts'

describe('docker › workflows', () => {
  const workflows = dockerWorkflows()
  const { service, start, run } = workflows

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
        const ended = seen(await workflows.engine.result(key))
        expect(ended.out('own'), ended.err('own')).to.equal('from the step\nbound/tmp\napp\nanother\n')
        expect(await labels()).to.deep.equal([])
      } finally {
        await network.remove()
      }
    })
    it('a name alone is that of a running container', async () => {
      const made = await service.client.createContainer({ name: 'theirs-by-name', Image: IMAGE, Cmd: ['sleep', '600'] })
      await made.start()
      try {
        const ended = await run('steps: [{name: a, container: theirs-by-name, command: hostname}]')
        expect(ended.out('a'), ended.err('a')).to.equal(`${made.id.slice(0, 12)}\n`)
      } finally {
        await made.remove({ force: true })
      }
      expect((await run('steps: [{name: a, container: theirs-by-name, command: hostname}]')).err('a')).to.equal(
        'container "theirs-by-name" is not running\n'
      )
    })
  })
})
