/** docker steps whose engine has died: what is found, what it wrote, how it ends. Source: execution-semantics 13.5.3. */
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { systemClock } from '../../../src/clock.ts'
import type { Execution } from '../../../src/executors/executor.ts'
import { marksFrom } from '../../../src/executors/launcher/marks.ts'
import { secretsOf } from '../../../src/masking/secrets.ts'
import { step } from '../../support/charts/plans.ts'
import { textOf } from '../../support/engine/live.ts'
import { config, dockerSteps, sh } from '../../support/executors/docker-steps.ts'
import { eventually } from '../../support/waiting.ts'

/** Its record as it was before it had its last note. */
function withoutLastNote({ state }: Execution, holds: string): void {
  const path = `${state}.1.state`
  const lines = readFileSync(path, 'utf8').trim().split('\n')
  expect(lines.at(-1)).to.include(holds)
  writeFileSync(path, `${lines.slice(0, -1).join('\n')}\n`)
}

describe('docker executor', () => {
  const { service, bench, open, close, find, abandon, remove, theirs } = dockerSteps()

  describe('after the death of the engine', () => {
    it("13.5.3: a container that lives is adopted: its output is whole, masked, and its exit is the step's", async () => {
      const masking = { secrets: secretsOf({ HUSH: 'hush-hush' }), marks: true }
      const words = sh('for i in $(seq 60); do echo "$i hush-hush"; echo e$i >&2; sleep 0.02; done; exit 6')
      const { execution } = bench.start({ config: config(), masking, words })
      await eventually('some output', () => textOf(execution.stdout).includes('20 ') || undefined)
      close()
      open()
      const found = find(execution)
      expect(await found?.over).to.equal(false)
      expect(await found?.ended).to.include({ exitCode: 6, offset: 0 })
      const numbers = Array.from({ length: 60 }, (_, index) => index + 1)
      expect(textOf(execution.stdout)).to.equal(numbers.map((i) => `${i} *******\n`).join(''))
      expect(textOf(execution.stderr)).to.equal(numbers.map((i) => `e${i}\n`).join(''))
      expect(await marksFrom(execution.stdout, 0)).to.have.length(60)
    })
    it('13.5.3: one that ended meanwhile has its recorded end, and the rest of its output', async () => {
      const { execution } = bench.start({ config: config(), words: sh('echo one; sleep 0.3; echo two; exit 9') })
      await eventually('some output', () => textOf(execution.stdout) || undefined)
      close()
      const id = JSON.parse(
        readFileSync(`${execution.state}.1.state`, 'utf8').trim().split('\n').at(-1) ?? ''
      ).container
      await service.client.getContainer(id).wait()
      open()
      const found = find(execution)
      expect(await found?.over).to.equal(true)
      expect(await found?.ended).to.include({ exitCode: 9 })
      expect(textOf(execution.stdout)).to.equal('one\ntwo\n')
      open()
      expect(await find(execution)?.ended).to.include({ exitCode: 9 })
    })
    it('13.5.3: one that never began is undefined', () => {
      expect(find(bench.execution({ config: config() }))).to.equal(undefined)
    })
    it('D34 what the Docker engine was asked to make and has not yet made never began', async () => {
      await theirs('slow')
      const asked: string[] = []
      const slow = createServer((ours, answer) => {
        const { method = '', url = '', headers } = ours
        if (method === 'POST' && /create|exec$/.test(url)) return void asked.push(url) // it is never answered
        const options = { socketPath: service.address.replace('unix://', ''), method, path: url, headers }
        ours.pipe(request(options, (theirs) => theirs.pipe(answer)))
      })
      await new Promise<void>((resolve) => slow.listen(0, '127.0.0.1', resolve))
      open({ DOCKER_HOST: `tcp://127.0.0.1:${(slow.address() as AddressInfo).port}` })
      const own = bench.start({ config: config(), words: ['true'] })
      const inside = bench.start({ config: { containerName: 'slow' }, words: ['true'] })
      await eventually('both requests', () => (asked.length === 2 ? true : undefined))
      close()
      slow.closeAllConnections()
      slow.close()
      open()
      expect([find(own.execution), find(inside.execution)]).to.deep.equal([undefined, undefined])
      await remove('slow')
    })
    it('one whose record was cut off is found by its label', async () => {
      const { execution } = bench.start({ config: config(), words: sh('echo one; sleep 0.3; exit 2') })
      await eventually('some output', () => textOf(execution.stdout) || undefined)
      close()
      const state = `${execution.state}.1.state`
      writeFileSync(state, `${readFileSync(state, 'utf8').split('\n').slice(0, 2).join('\n')}\n`)
      open()
      expect(await find(execution)?.ended).to.include({ exitCode: 2 })
      expect(textOf(execution.stdout)).to.equal('one\n')
    })
    it('one that was removed meanwhile is interrupted, its outcome unknown', async () => {
      const container = { labels: { run: 'dag/removed' }, base: '/' }
      const { execution } = bench.start({ config: config(), container, words: sh('echo one; sleep 60') })
      await eventually('some output', () => textOf(execution.stdout) || undefined)
      close()
      for (const { Id } of await service.labelled('troupe.run=dag/removed')) await remove(Id)
      open()
      const error = await find(execution)?.ended.catch((error: Error) => error.message)
      expect(error).to.equal('interrupted: outcome unknown: its container is gone')
    })
    it('7.3.3 one that is killed while the Docker engine does not answer is over, and stderr says that it may go on', async () => {
      const container = { labels: { run: 'dag/unreached' }, base: '/' }
      const { execution } = bench.start({ config: config(), container, words: sh('echo one; sleep 0.3') })
      await eventually('some output', () => textOf(execution.stdout) || undefined)
      close()
      open({ DOCKER_HOST: 'tcp://127.0.0.1:1' }, { ...systemClock, after: (_ms, ring) => systemClock.after(1, ring) })
      const found = find(execution)
      found?.stop('SIGTERM')
      found?.kill()
      expect(await found?.over).to.equal(false)
      expect(await found?.ended).to.deep.include({ exitCode: -1, signal: 'terminated' })
      expect(textOf(execution.stderr)).to.match(/did not confirm the end .*; the process of the step may continue\n$/)
      for (const { Id } of await service.labelled('troupe.run=dag/unreached')) await remove(Id)
    })
    it("a command in a running container is adopted: its exit is the step's, what it wrote meanwhile is said to be lost", async () => {
      await theirs('held')
      const inHeld = (words: string[], more: Partial<Execution> = {}) =>
        bench.start({ config: { containerName: 'held' }, words, ...more })
      const one = inHeld(sh('echo one; sleep 0.5; exit 8'))
      const wanted = inHeld(sh('echo one; sleep 0.5'), { step: step('step', { output: 'OUT' }) })
      const stopped = inHeld(sh('echo one; sleep 60'))
      for (const { execution } of [one, wanted, stopped])
        await eventually('some output', () => textOf(execution.stdout) || undefined)
      close()
      open()
      const found = find(one.execution)
      const lost = find(wanted.execution)?.ended.catch((error: Error) => error.message)
      expect(await found?.over).to.equal(false)
      expect(await found?.ended).to.include({ exitCode: 8 })
      expect(textOf(one.execution.stderr)).to.include('since then is lost')
      expect(await lost).to.equal('interrupted: outcome unknown: its output was lost with the engine')
      const held = find(stopped.execution)
      held?.stop('SIGTERM')
      expect(await held?.ended).to.deep.include({ exitCode: -1, signal: 'terminated' })
      await remove('held')
    })
    describe('a command in a container of another owner whose process id the engine had not read when it died', () => {
      before(() => theirs('unread'))
      after(() => remove('unread'))
      /** One that is at work, as an engine finds it that comes after a crash. */
      async function leftAt(line: string, user?: string): Promise<Execution> {
        const config = { containerName: 'unread', ...(user ? { exec: { user } } : {}) }
        const { execution } = bench.start({ config, words: sh(line) })
        await eventually('some output', () => textOf(execution.stdout) || undefined)
        close()
        withoutLastNote(execution, '"pid"')
        open()
        return execution
      }
      const processes = async () => JSON.stringify((await service.client.getContainer('unread').top()).Processes)

      it('10.2.14: a stop reaches it', async () => {
        const found = find(await leftAt('trap "exit 5" TERM; echo up; while true; do sleep 0.1; done', 'app'))
        found?.stop('SIGTERM')
        expect(await found?.ended).to.include({ exitCode: 5 })
      })
      it('13.5.3 fail, rerun: a kill reaches it, and not its neighbour', async () => {
        const neighbour = await leftAt('echo up; sleep 781; true')
        const found = find(await leftAt('echo up; sleep 782; true'))
        found?.kill()
        expect(await found?.ended).to.deep.include({ exitCode: -1, signal: 'killed' })
        expect(await processes())
          .to.include('sleep 781')
          .and.not.to.include('sleep 782')
        await abandon(neighbour)
      })
      it('another process that has reused its id, in a container that was restarted, is left alone', async () => {
        const { execution } = bench.start({ config: { containerName: 'unread' }, words: sh('echo $PPID; sleep 785') })
        const id = Number(await eventually('its id', () => textOf(execution.stdout).trim() || undefined))
        close()
        const container = service.client.getContainer('unread')
        await container.restart({ t: 0 })
        const upTo = `while :; do sh -c 'exit $$'; [ $? -ge ${id - 1} ] && break; done; sleep 786 & echo $!; wait`
        const other = await container.exec({ Cmd: sh(upTo), AttachStdout: true })
        await other.start({ hijack: false, stdin: false })
        await eventually('the other one', async () => ((await processes()).includes('sleep 786') ? true : undefined))
        open()
        const found = find(execution)
        found?.kill()
        await found?.ended.catch(() => {})
        expect(await processes()).to.include('sleep 786')
      })
      it('it is killed when no engine will look for it, also while the engine closes', async () => {
        const execution = await leftAt('echo up; sleep 783; true')
        void abandon(execution)
        await close()
        expect(await processes()).not.to.include('sleep 783')
      })
      it('one that is about to begin is killed, too', async () => {
        const { execution } = bench.start({ config: { containerName: 'unread' }, words: sh('sleep 784; true') })
        await eventually('its record', () => textOf(`${execution.state}.1.state`).includes('"exec"') || undefined)
        close()
        open()
        await abandon(execution)
        await bench.run({ config: { containerName: 'unread' }, words: ['true'] }) // it would have begun by then
        expect(await processes()).not.to.include('sleep 784')
      })
    })
    describe('a command in the container of a run', () => {
      const shared = { container: 'of-run' }
      const container = { labels: {}, base: '/', shared }
      const inRun = (words: string[], more: Partial<Execution> = {}) => bench.start({ container, words, ...more })
      const both = 'echo one; sleep 0.5; echo out; echo err >&2; sleep 0.3;' // Docker can deliver neither stream
      const begun = (...all: { execution: Execution }[]) =>
        Promise.all(all.map(({ execution }) => eventually('some output', () => textOf(execution.stdout) || undefined)))
      before(() => theirs('of-run'))
      after(() => remove('of-run'))

      it("13.5.3: its exit is the step's, whichever of its streams it has written to meanwhile", async () => {
        const codes = [0, 3, 126]
        const running = codes.map((code) => inRun(sh(`${both} exit ${code}`)))
        const killed = inRun(sh(`${both} kill -9 $$`))
        await begun(...running, killed)
        close()
        open()
        const ends = await Promise.all([...running, killed].map(({ execution }) => find(execution)?.ended))
        expect(ends.map((end) => end?.exitCode)).to.deep.equal([...codes, 137])
      })
      it('13.5.3: also when the engine died before it had read the process id of the command, which a stop reaches', async () => {
        const one = inRun(sh(`${both} exit 4`))
        const stopped = inRun(sh(`trap 'exit 5' TERM; ${both} while true; do sleep 0.1; done`))
        await begun(one, stopped)
        close()
        for (const { execution } of [one, stopped]) withoutLastNote(execution, '"pid"')
        open()
        expect(await find(one.execution)?.ended).to.include({ exitCode: 4 })
        const held = find(stopped.execution)
        held?.stop('SIGTERM')
        expect(await held?.ended).to.include({ exitCode: 5 })
      })
      it('13.5.3: the code of an earlier execution is not taken for that of one that was killed', async () => {
        const { stdout, stderr } = bench.execution({})
        expect(await inRun(sh('exit 6'), { stdout, stderr }).outcome).to.include({ exitCode: 6 })
        const again = inRun(sh('echo one >&2; echo $PPID; sleep 60; true'), { stdout, stderr })
        await begun(again)
        close()
        const leader = Number(textOf(again.execution.stdout))
        const killer = await service.client.getContainer('of-run').exec({ Cmd: ['kill', '-9', `-${leader}`] })
        await killer.start({ Detach: true })
        open()
        expect(await find(again.execution)?.ended).to.include({ exitCode: 137 })
      })
      it('it is a program with nothing added: no variable, no line about a kill, no builtin of a shell, its own streams', async () => {
        const seen = await inRun(sh('env | sort; ls /proc/self/fd')).outcome
        const elsewhere = await bench.run({ config: { containerName: 'of-run' }, words: ['env'] })
        const sorted = (text: string) => text.split('\n').sort()
        expect(sorted((await inRun(['env']).outcome).out)).to.deep.equal(sorted(elsewhere.out))
        expect(seen.out).to.match(/^HOME=(.*\n)+0\n1\n2\n3\n$/) // 3 is the folder that ls reads
        expect(await inRun(sh('kill -9 $$')).outcome).to.include({ exitCode: 137, err: '' })
        expect(await inRun(['exit', '3']).outcome).to.include({ exitCode: 127 })
        expect((await inRun(['no-such-program']).outcome).err).to.include('not found')
        const traps = 'trap "echo term; exit 7" TERM; echo up; while true; do sleep 0.1; done'
        const stopped = inRun(sh(traps))
        await begun(stopped)
        stopped.running.stop('SIGTERM')
        expect(await stopped.outcome).to.include({ exitCode: 7, out: 'up\nterm\n' })
      })
    })
  })
})
