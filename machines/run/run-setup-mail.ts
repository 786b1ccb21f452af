/** Guards and actions of the run chart: mail about the run and its steps. `run-setup-signals.ts` adds to them. Source: execution-semantics 14.3. */
import { enqueueActions } from 'xstate'
import type { NodeOutput } from '../node/node-context.ts'
import { mailOfRun, stepSendsMail } from '../policy/notify.ts'
import type { NodePlace, Plan, Step } from '../vocabulary.ts'
import { indexOfNode, nodeId, outcomeOf, type RunContext } from './run-context.ts'
import type { NodeEnded, NodeFaulted } from './run-events.ts'
import { handlersSetup } from './run-setup-handlers.ts'

/** Id of the actor of a mail. That of a node's mail contains the node's id. */
const mailId = (about: string): string => `mail.${about}`

export const mailSetup = handlersSetup.extend({
  guards: {
    mailDue: ({ context: c }) =>
      !c.killed && (mailsOf(c).length > 0 || (!c.mailed && mailOfRun(c.plan, outcomeOf(c)) !== undefined)),
    allMailOut: ({ context: c }) => mailsOf(c).length === 0
  },
  actions: {
    /** A mail about a step runs on the side: dependents of the step do not wait for it, the end of the run does. */
    mailIfFailed: enqueueActions(({ context: c, enqueue }, ended: NodeEnded | NodeFaulted) => {
      const { place, status, at } = 'output' in ended ? ended.output : faultOf(c, ended)
      const step = stepAt(c.plan, place)
      if (!step || !stepSendsMail(step, c.plan, status)) return
      const id = mailId(nodeId(place, step))
      // While handlers run, the mail shows the status that they get.
      const ofRun = typeof place === 'number' ? 'running' : outcomeOf(c)
      enqueue.assign({ mails: [...mailsOf(c), id] })
      enqueue.spawnChild('notification', { id, input: { run: c.key, mail: 'error', status: ofRun, at, place } })
    }),
    sendRunMail: enqueueActions(({ context: c, enqueue }) => {
      const mail = c.mailed ? undefined : mailOfRun(c.plan, outcomeOf(c))
      const id = mailId('run')
      enqueue.assign({ mailed: true, ...(mail ? { mails: [...mailsOf(c), id] } : {}) })
      if (!mail) return
      enqueue.spawnChild('notification', { id, input: { run: c.key, mail, status: outcomeOf(c), at: c.at } })
    }),
    dropMail: enqueueActions(({ context: c, enqueue }, { actorId }: { actorId: string }) => {
      enqueue.stopChild(actorId)
      enqueue.assign({ mails: mailsOf(c).filter((id) => id !== actorId) })
    }),
    giveUpMail: enqueueActions(({ context: c, enqueue }) => {
      for (const id of mailsOf(c)) enqueue.sendTo(id, { type: 'notification.stop' })
      enqueue.assign({ mails: [], mailed: true })
    })
  }
})

const mailsOf = ({ mails = [] }: RunContext) => mails
const stepAt = (plan: Plan, place: NodePlace): Step | undefined =>
  typeof place === 'number' ? plan.steps[place] : Object.values(plan.handlers).find(({ name }) => name === place)

/** The output that a node which has thrown would have had. */
const faultOf = (c: RunContext, { actorId }: NodeFaulted): Pick<NodeOutput, 'place' | 'status' | 'at'> => {
  const index = indexOfNode(c.plan, actorId)
  return { place: index < 0 && c.handler !== undefined ? c.handler : index, status: 'failed', at: c.at }
}
