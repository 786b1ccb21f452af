/** A worker process is killed around the work of its steps: each is executed once, and its end arrives. Source: distribution 1 (D3, D8). */
import { type ChildProcess, fork } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { subjectsOf } from '../../src/bus/messages.ts'
import { eventIn, type Order, type Reply, replyIn, type TaskEvent, writtenTask } from '../../src/bus/tasks.ts'
import { readDefinition } from '../../src/definition/read.ts'
import { temporaryFolder } from '../support/homes.ts'
import { eventually } from '../support/waiting.ts'
import { CLUSTER, HOME, named, offerOf } from '../support/worker/engine-end.ts'
import type { Carried } from '../support/worker/worker-child.ts'

const CHILD = fileURLToPath(new URL('../support/worker/worker-child.js', import.meta.url))
const RUN = named(1_000)
const subjects = subjectsOf(CLUSTER)

describe('worker › killed, and started again', function () {
  this.timeout(60_000)
  let home: string
  let child: ChildProcess
  let ended: Map<string, TaskEvent>
  const begun = new Set<string>()
  const answers = new Map<number, (text: string) => void>()
  let count = 0
  before(() => {
    home = temporaryFolder()
  })
  beforeEach(() => {
    ended = new Map()
    start()
  })
  afterEach(kill)

  function start(): void {
    child = fork(CHILD, [home], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
    child.on('message', (message: Carried) => {
      if ('answers' in message) return answers.get(message.answers)?.(message.text)
      if (!message.subject.endsWith('.event')) return
      const event = eventIn(message.text)
      if (event.what === 'ended') ended.set(event.task, event)
      else begun.add(event.task)
      if (child.connected) child.send({ answers: message.id, text: writtenTask({ kind: 'acked' }) })
    })
  }
  async function kill(): Promise<void> {
    const gone = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGKILL')
    await gone
  }
  /** Asks until there is an answer, whichever process gives it. */
  async function ask(order: Order): Promise<Reply> {
    for (;;) {
      const id = ++count
      const answer = new Promise<string>((resolve) => answers.set(id, resolve))
      if (child.connected) child.send({ id, subject: subjects.down(HOME), text: writtenTask(order) }, () => {})
      const text = await Promise.race([
        answer,
        new Promise<undefined>((resolve) => setTimeout(resolve, 500, undefined))
      ])
      if (text !== undefined) return replyIn(text)
    }
  }
  const endOf = (number: number) => eventually(`the end of task ${number}`, () => ended.get(named(number)))
  async function open(text: string): Promise<void> {
    const { plan } = readDefinition(`name: a\n${text}`)
    const job = { run: { name: 'a', dagRunId: 'r1' }, runAttempt: 1, plan, params: [] }
    const task = ++tasks
    await ask(offerOf({ task: named(task), what: 'open', run: RUN }, job))
    expect(JSON.parse((await endOf(task)).result ?? '')).to.deep.equal({ notes: [] })
  }
  const offer = (task: number, place: number) =>
    ask(offerOf({ task: named(task), run: RUN }, { place, attempt: 1, nodes: [] }))
  let tasks = 0

  it('a step at work goes on without its worker, and its end, its output and its log arrive', async () => {
    const marks = join(temporaryFolder(), 'marks')
    await open(`steps:
  - {name: one, command: 'echo x >>${marks}; echo on; sleep 1; echo over; exit 4'}
  - {name: two, command: 'echo x >>${marks}; sleep 0.2', timeoutSec: 100}`)
    const task = ++tasks
    await offer(task, 0)
    await eventually('it has begun', () => (begun.has(named(task)) ? true : undefined))
    await eventually('it is at work', () => (readIf(marks) === '' ? undefined : true))
    await kill()
    start()
    const event = await endOf(task)
    expect(JSON.parse(event.result ?? '')).to.include({ exitCode: 4 })
    expect([readFileSync(marks, 'utf8'), String(event.tailOut), event.outFrom]).to.deep.equal(['x\n', 'on\nover\n', 0])
  })
  it('killed at any moment around the begin of steps, each is executed once', async () => {
    const marks = join(temporaryFolder(), 'marks')
    const many = 24
    const steps = Array.from(
      { length: many },
      (_, n) => `  - {name: s${n}, command: 'echo ${n} >>${marks}; sleep 0.05'}`
    )
    await kill()
    home = temporaryFolder()
    start()
    await open(`steps:\n${steps.join('\n')}`)
    const first = tasks + 1
    tasks += many
    for (let n = 0; n < many; n++) {
      const answered = offer(first + n, n)
      if (n % 3 !== 0) {
        await answered
        continue
      }
      await new Promise((resolve) => setTimeout(resolve, n * 2))
      await kill()
      start()
      await answered
    }
    for (let n = 0; n < many; n++) expect(JSON.parse((await endOf(first + n)).result ?? '')).to.include({ exitCode: 0 })
    const written = readFileSync(marks, 'utf8').trim().split('\n').map(Number)
    expect(written.sort((a, b) => a - b)).to.deep.equal(Array.from({ length: many }, (_, n) => n))
  })
})

function readIf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
