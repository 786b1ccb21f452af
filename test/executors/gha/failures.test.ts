/** What goes wrong with gha steps: actions that are not there, stops, crashes of the engine, a git that waits. Source: execution-semantics 10.9. */
import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { killLeftCommands } from '../../../src/executors/launcher/capture.ts'
import { secretsOf } from '../../../src/masking/secrets.ts'
import { step } from '../../support/charts/plans.ts'
import { writeFiles } from '../../support/executors/actions.ts'
import { IMAGE } from '../../support/executors/docker.ts'
import { containerEndMs } from '../../support/executors/end-latency.ts'
import { ghaSteps, outputOf } from '../../support/executors/gha-steps.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { gone, pidIn } from '../../support/processes.ts'
import { eventually, WHEN_BUSY } from '../../support/waiting.ts'

describe('gha executor', () => {
  const { service, repositories, commands, bench, open, take, find, scratch, left, executionOf } = ghaSteps()

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
      expect((await bench.run(executionOf('acme/there@v9'))).err).to.match(
        /the action acme\/there@v9 cannot be fetched from file:\S+: there is no such branch, tag or whole commit id there\n$/
      )
      expect((await bench.run(executionOf('acme/nowhere@v1'))).err).to.match(/acme\/nowhere@v1 cannot be fetched .*not/)
      expect((await bench.run(executionOf('acme/there/sub@main'))).err).to.match(
        /acme\/there\/sub@main: there is no action.yml, nor action.yaml\n$/
      )
    })
    it('inputs that the action does not have, and required ones that are missing, are warned about', async () => {
      writeFiles(bench.folder, {
        'w/action.yml': `{inputs: {need: {required: true}}, runs: {using: composite, steps: [{shell: sh, run: "true"}]}}`
      })
      const run = await bench.run(executionOf('./w', { inputs: { other: 'x' } }))
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
      const { running, execution, outcome } = bench.start(executionOf('./s'))
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
      const { running, execution, outcome } = bench.start(executionOf('./k'))
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
      const { execution } = bench.start(executionOf('./l'))
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
      expect(outputOf(await bench.run(executionOf('./p', { masking })))).to.deep.equal({ told: 'it is *******' })
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
        take(waits())
        const { running, outcome } = bench.start(executionOf('acme/slow@v1'))
        const helper = await pid()
        running.stop('SIGTERM')
        expect(await outcome).to.include({ exitCode: -1, signal: 'terminated' })
        await gone(helper)
      })
      it('13.5.3: after a crash of the engine the next one ends it, and removes what it had fetched', async () => {
        take(waits())
        const { execution } = bench.start(executionOf('acme/slow@v1'))
        const helper = await pid()
        expect(scratch()).to.have.length(1)
        take(open())
        killLeftCommands(join(commands, '..', 'next'))
        const error = await find(execution)?.ended.catch((cause: Error) => cause)
        expect(error).to.have.property('message', 'interrupted: outcome unknown')
        await gone(helper)
      })
      it('is reported as missing where there is none', async () => {
        take(open({ ...service.environment, PATH: tools }))
        rmSync(join(tools, 'git'), { force: true })
        expect((await bench.run(executionOf('acme/slow@v1'))).err).to.include(
          ': git is not installed: it is needed to fetch actions'
        )
      })
    })
    it('a step keeps its own words and files apart from those of others', async () => {
      writeFileSync(join(bench.folder, 'plain'), '')
      const run = await bench.run({ ...executionOf('./plain'), step: step('other') })
      expect(run.err).to.include('./plain: there is no action.yml')
    })
  })
})
