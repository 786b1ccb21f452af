/** A mail is bounded in time, whatever it waits for. Source: execution-semantics 14.3.6. */
import { expect } from 'chai'
import { createActor, setup } from 'xstate'
import type { NotificationInput } from '../../../machines/run.ts'
import type { Services } from '../../../src/actors/root/services.ts'
import { notification } from '../../../src/actors/run/notification.ts'
import { noSecrets } from '../../../src/masking/secrets.ts'
import { key, plan, step } from '../../support/charts/plans.ts'
import { simulatedClock } from '../../support/simulated/simulated-clock.ts'

const target = { from: 'a@x.test', to: ['b@x.test'], prefix: '', attachLogs: false }
const smtp = { host: 'x.test', port: '25', username: '', password: '' }

/** @param environmentOf what the texts of the mail wait for */
function sending(environmentOf: Services['environmentOf']) {
  const clock = simulatedClock()
  const lines: string[] = []
  const told: { type: string; actorId?: string }[] = []
  const sent = plan([step('a')], { infoMail: target, smtp })
  const services = {
    clock,
    transactions: { take: (work: () => void) => work(), afterFlush: (effect: () => void) => effect() },
    logs: {
      write: (_: string, level: string, message: string, { reason = '' }: Record<string, string>) =>
        lines.push(`${level} ${message}: ${reason}`)
    },
    scope: () => ({ plan: sent, secrets: noSecrets }),
    history: () => ({ plan: sent, record: { log: '' }, nodes: new Map() }),
    environmentOf
  } as unknown as Services // the rest is not touched
  const input: NotificationInput = { run: key(), mail: 'info', status: 'succeeded', at: 0 }
  const parent = createActor(
    setup({
      actors: { notification: notification(services) },
      actions: { note: ({ event }) => void told.push(event as never) }
    }).createMachine({
      initial: 'waiting',
      invoke: { id: 'mail.run', src: 'notification', input },
      states: { waiting: {} },
      on: { 'notification.ended': { actions: 'note' } }
    })
  ).start()
  return { clock, lines, told, parent, settled: () => new Promise((resolve) => setImmediate(resolve)) }
}

describe('notification', () => {
  it('is abandoned after 60 s, and says so', async () => {
    const { clock, lines, told, settled } = sending(() => new Promise(() => {}))
    await settled()
    expect([lines, told]).to.deep.equal([[], []])
    clock.goTo(clock.now() + 60_000)
    await settled()
    expect(lines).to.deep.equal(['WARN mail was not sent: it took longer than 60s'])
    expect(told.map(({ type, actorId }) => [type, actorId])).to.deep.equal([['notification.ended', 'mail.run']])
  })
  it('what throws is a line in the run log', async () => {
    const { lines, told, settled } = sending(async () => {
      throw new Error('no environment')
    })
    await settled()
    expect([lines, told.length]).to.deep.equal([['WARN mail was not sent: no environment'], 1])
  })
  it('an engine that closes says nothing: the mail is sent by the next one', async () => {
    const { lines, told, parent, settled } = sending(() => new Promise(() => {}))
    parent.stop()
    await settled()
    expect([lines, told]).to.deep.equal([[], []])
  })
})
