/** A thread that takes every task, and says at once that it has ended. @param workerData address of the server */
import { parentPort, workerData } from 'node:worker_threads'
import { subjectsOf } from '../../../src/bus/messages.ts'
import { openNatsBus } from '../../../src/bus/nats.ts'
import { orderIn, writtenTask } from '../../../src/bus/tasks.ts'
import { systemClock } from '../../../src/clock.ts'
import { eventually } from '../../support/waiting.ts'
import { CLUSTER, IDLE_HOME } from './messages.ts'

const subjects = subjectsOf(CLUSTER)
const RESULT = JSON.stringify({ exitCode: 0, notes: [] })
const bus = openNatsBus({ servers: [workerData], name: 'idle', inbox: subjects.inbox('idle'), clock: systemClock })
bus.hear(subjects.down(IDLE_HOME), ({ text, answer }) => {
  const order = orderIn(text)
  if (order.kind !== 'offer') return answer(writtenTask({ kind: 'done' }))
  answer(writtenTask({ kind: 'claimed', state: 'claimed' }))
  const { task, lease, engine } = order
  const sizes = { out: 0, err: 0, outFrom: 0, errFrom: 0 }
  const said = { task, lease, engine, session: '1', what: 'ended' as const, agoMs: 0, ...sizes, result: RESULT }
  bus.ask(subjects.up(IDLE_HOME, 'event'), writtenTask({ kind: 'event', ...said }), 20_000).catch(() => {})
})
await eventually('the bus', () => bus.state === 'connected' || undefined)
parentPort?.postMessage('ready')
