/** What becomes of containers when the engine is killed and starts again. Source: execution-semantics 13.5.3. */
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { killedAfter, marksIn } from '../../support/engine/killed-engine.ts'
import { type Ended, seen, textOf } from '../../support/engine/live.ts'
import { IMAGE } from '../../support/executors/docker.ts'
import { dockerWorkflows } from '../../support/executors/docker-workflows.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { itLong } from '../../support/long.ts'
import { eventually } from '../../support/waiting.ts'

describe('docker › workflows', () => {
  const { service, open } = dockerWorkflows()

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

    itLong('13.5.3 resume: it is so, too, when the log folder was removed with the records in it', async () => {
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
    itLong('the container of an open run is found again, and removed at the end of the run', async () => {
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
    it("13.5.3: in somebody else's container nothing is left: an exit code that Docker has lost is reported as unknown, never guessed", async () => {
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
    itLong('a container that was adopted is explained as running, not as about to start', async () => {
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
    itLong("a run that cannot go on after a restart: its command in somebody else's container is killed", async () => {
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
    itLong('what a run that has ended has left is removed at the next start', async () => {
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
