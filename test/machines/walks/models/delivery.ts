/** One delivery, as a model. Source: docs/notifications.md "When a target does not accept". */
import { createActor, createMachine } from 'xstate'
import { type DeliveryEvent, deliveryMachine } from '../../../../machines/delivery.ts'
import type { PostOutcome } from '../../../../machines/policy/delivery.ts'
import { type Inspect, type Walk, walking } from '../../../support/charts/model.ts'
import { invokedActors, onStage, openStage, START } from '../../../support/charts/stage.ts'

const delivery = deliveryMachine.provide({ actors: invokedActors('post') })

export function deliveryModel(): Walk {
  const openDelivery = (inspect: Inspect) => {
    const stage = openStage()
    const input = { at: START, maxAttempts: 3, giveUpAfterMs: 60_000 }
    const parent = createMachine({ id: 'parent', invoke: { id: 'delivery', src: delivery, input } })
    return { stage, actor: onStage(stage, createActor(parent, { inspect })).start() }
  }
  type Live = ReturnType<typeof openDelivery>
  const send = (event: (at: number) => DeliveryEvent) => (live: Live) => {
    const delivery = live.actor.getSnapshot().children.delivery
    if (delivery?.getSnapshot().status === 'active') delivery.send(event(live.stage.now))
  }
  const answers =
    (outcome: PostOutcome) =>
    ({ stage }: Live) =>
      stage.the('post').answer('post.ended', { outcome, random: 0.5 })
  return walking({
    open: openDelivery,
    moves: {
      'its time has come': send((at) => ({ type: 'delivery.due', at })),
      accepted: answers({ status: 204 }),
      'not now': answers({ status: 503 }),
      'not within a minute': answers({ status: 429, retryAfterMs: 61_000 }),
      refused: answers({ status: 410 }),
      'no answer': answers({ error: 'it refuses connections' }),
      'gives way': send((at) => ({ type: 'delivery.displaced', at, most: 10 })),
      'its target is gone': send((at) => ({ type: 'target.gone', at })),
      'is asked for again': send((at) => ({ type: 'delivery.retried', at })),
      'two minutes pass': ({ stage }) => stage.advance(120_000)
    },
    can: ({ stage }, move) => {
      const isSending = stage.live('post').length > 0
      const isAnswer = /^(accepted|not now|not within|refused|no answer)/.test(move)
      return isAnswer ? isSending : true
    },
    keyOf({ stage, actor }) {
      const delivery = actor.getSnapshot().children.delivery?.getSnapshot()
      const { attempts, dueAt = 0, giveUpAt = 0, error } = delivery?.context ?? {}
      return JSON.stringify([delivery?.value, attempts, dueAt - stage.now, giveUpAt - stage.now, error])
    },
    depth: 6
  })
}
