/**
 * Pages whose commands ask a server about its runs, or answer them: docs/inspect.md, docs/notifications.md, docs/scheduling.md,
 * docs/executors/approval.md and signal.md. Each block is pasted as it is, into a shell beside one server.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { createEngine } from '../../../src/index.ts'
import { type RunningServer, runningServer } from '../../support/cli/program.ts'
import { fencesIn } from '../../support/docs/fences.ts'
import { type Shell, shellIn } from '../../support/docs/pasting.ts'
import { closeReceivers, receiver } from '../../support/engine/receiver.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { PROJECT } from '../../support/project.ts'
import { almost } from '../../support/simulated/almost.ts'
import { eventually } from '../../support/waiting.ts'

const blocksOf = (page: string, language: string) =>
  fencesIn(page, readFileSync(join(PROJECT, page), 'utf8')).flatMap((one) =>
    one.language === language ? [one.text] : []
  )
/** The only block of commands of a page. */
const blockOf = (page: string): string => {
  const [first = '', ...others] = blocksOf(page, 'sh')
  expect(others, page).to.deep.equal([])
  return first
}
const linesOf = (block: string) => block.trim().split('\n')

/** It was due once, in March, and fails. */
const ETL = 'schedule: "1 10 2 3 *"\ntype: graph\nsteps: [{name: load, command: "exit 3"}]\n'

describe('pages beside a server', function () {
  this.timeout(120_000)
  const folder = temporaryFolder()
  let server: RunningServer
  let shell: Shell
  const dag = (name: string, text: string) => writeFileSync(join(folder, 'dags', `${name}.yaml`), text)
  async function api(path: string, body?: object) {
    const sent = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }
    const answer = await fetch(`${server.address}/api/v2${path}`, sent)
    expect(answer.status, path).to.equal(200)
    // biome-ignore lint/suspicious/noExplicitAny: tests look into all shapes
    return (await answer.json()) as any
  }
  const runOf = async (name: string, id: string) => (await api(`/dag-runs/${name}/${id}`)).dagRun
  const ended = (name: string, id: string) =>
    eventually(`the end of ${name} ${id}`, async () => {
      const run = await runOf(name, id)
      return run.finishedAt === '' ? undefined : run
    })
  const waits = (dagRunId: string) =>
    eventually(`${dagRunId} waits`, async () => {
      const { waiting } = await api('/waiting')
      return waiting.some((one: { name: string; dagRunId: string }) => one.dagRunId === dagRunId) || undefined
    })
  const pasted = async (block: string) => {
    const { code, out } = await shell.paste(block)
    expect(code, `${block}${out}`).to.equal(0)
    return out
  }

  before(async () => {
    mkdirSync(join(folder, 'dags'))
    dag('etl', ETL)
    dag('hello', blocksOf('README.md', 'yaml')[0] ?? '')
    const hook = await receiver((_, response) => void response.writeHead(410).end())
    const target = `{ name: ops, url: "${hook.url}", events: [run.failed], dags: etl, secret: a secret of enough bytes }`
    server = await runningServer({ ENGINE_TZ: 'UTC' }, { folder: await pastMinute(), file: `notify: [${target}]\n` })
    shell = shellIn(folder, [['http://127.0.0.1:8080', server.address]], { ENGINE_TZ: 'UTC' })
  })
  after(async () => {
    await server?.end()
    await closeReceivers()
  })
  /** The home, after a minute in which `etl` was due. */
  async function pastMinute(): Promise<string> {
    const engine = await createEngine({ home: folder, schedules: true, clock: almost(), settings: { tz: 'UTC' } })
    await eventually('a decision', () => engine.decisions().length > 0 || undefined)
    await engine.close({ runs: 'stop' })
    return folder
  }

  it('docs/scheduling.md: decisions of a definition', async () => {
    expect(await pasted(blockOf('docs/scheduling.md'))).to.match(/^.*2026-03-02.*10:01.*etl.*$/m)
  })

  describe('docs/inspect.md', () => {
    const said: string[] = []
    before(async () => {
      const { dagRunId } = await api('/dags/etl/start', {})
      await ended('etl', dagRunId)
      // One shell for all: the first block sets what the others use.
      const out = await pasted(blocksOf('docs/inspect.md', 'sh').join('echo; echo "--- next"\n'))
      said.push(...out.split('--- next\n'))
    })
    it('has the actors of a run, now and at an event', () => {
      const [now, then] = (said[0] ?? '')
        .split(/(?=\{"name":"hello","dagRunId":"01a1","at":)/)
        .slice(1)
        .map((text) => JSON.parse(text))
      const states = ({ actors }: { actors: { address: string; states: string[] }[] }) =>
        actors.map(({ address, states }) => `${address.split('/').at(-1)}: ${states}`)
      expect([now.at, then.at]).to.deep.equal([now.latest, 4])
      expect(states(now)).to.include('greet: succeeded').and.include('onExit: succeeded')
      expect(states(then)).to.deep.equal(['01a1: working', 'greet: attempting,attempting.executing'])
    })
    it('has what an event would do', () => {
      const { isTaken, states, context } = JSON.parse(said[1] ?? '')
      expect([isTaken, states, context.exitCode]).to.deep.equal([true, ['failed'], 1])
    })
    it('has the reasons of a step', () => {
      expect(said).to.have.length(3)
      expect(said[2]).to.match(/^load +exit_code +load ended with code 3\n/)
    })
  })

  it('docs/notifications.md: dead letters are listed, delivered again, all of a target or one, and removed', async () => {
    const { dagRunId } = await api('/dags/etl/start', {})
    await ended('etl', dagRunId)
    const dead = () =>
      eventually('dead letters', async () => {
        const { deliveries, targets } = await api('/deliveries')
        return targets[0].dead > 0 && targets[0].waiting === 0 ? (deliveries as { id: string }[]) : undefined
      })
    const shown = /[0-9a-f]{8}-\S{27}/
    const said: string[] = []
    for (const line of linesOf(blockOf('docs/notifications.md'))) {
      const [{ id } = { id: '' }] = await dead()
      said.push(await pasted(line.replace(shown, id)))
    }
    const [table = '', json = '', ...others] = said
    expect(table)
      .to.match(/^target +waiting +dead\nops +0 +1\n/)
      .and.contain('it answered 410')
    expect(JSON.parse(json).deliveries).to.have.length(1)
    expect(others).to.deep.equal([
      '1 dead letter for ops: delivered again\n',
      '1 dead letter for ops: delivered again\n',
      '1 dead letter for ops: removed\n'
    ])
  })

  it('docs/executors/approval.md: a step is approved or refused, with a note', async () => {
    const page = 'docs/executors/approval.md'
    dag('order', blocksOf(page, 'yaml')[0] ?? '')
    const found: unknown[] = []
    for (const line of linesOf(blockOf(page))) {
      const { dagRunId } = await api('/dags/order/start', {})
      await waits(dagRunId)
      await pasted(line)
      const { statusLabel, nodes } = await ended('order', dagRunId)
      found.push([statusLabel, nodes[0].error ?? ''])
    }
    expect(found).to.deep.equal([
      ['succeeded', ''],
      ['failed', `refused by ${userInfo().username}: too dear`]
    ])
  })

  it('docs/executors/signal.md: a signal is given on the command line and over HTTP', async () => {
    const page = 'docs/executors/signal.md'
    dag('order', blocksOf(page, 'yaml')[0] ?? '')
    let said = ''
    for (const [at, block] of blocksOf(page, 'sh').entries()) {
      const dagRunId = `r${at}`
      await api('/dags/order/start', { dagRunId })
      await waits(dagRunId)
      said += await pasted(block)
      const { statusLabel, nodes } = await ended('order', dagRunId)
      expect(statusLabel).to.equal('succeeded')
      expect(readFileSync(nodes[1].stdout, 'utf8')).to.equal('3 EUR\n')
    }
    expect(said).to.match(/^order +r0 +paid +signal .*Has order 17 been paid\?$/m)
  })
})
