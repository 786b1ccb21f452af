/** A worker in a process of its own, whose bus is the channel to the process that has started it. @param argv its home */
import { type Bus, type Heard, Unanswered } from '../../../src/bus/bus.ts'
import { systemClock } from '../../../src/clock.ts'
import { openWorkerTasks } from '../../../src/worker/open-tasks.ts'
import { CLUSTER, HOME } from './engine-end.ts'

/** What goes over the channel: a question or something told, or an answer to question `id`. */
export type Carried = { id: number; subject: string; text: string } | { answers: number; text: string }

const send = (message: Carried) => process.send?.(message)
const listeners: { pattern: string; listen(heard: Heard): void }[] = []
const asked = new Map<number, (text: string) => void>()
let count = 0

process.on('message', (message: Carried) => {
  if ('answers' in message) return asked.get(message.answers)?.(message.text)
  const { id, subject, text } = message
  for (const { pattern, listen } of listeners)
    if (pattern === subject) listen({ subject, text, answer: (said) => send({ answers: id, text: said }) })
})
const bus: Bus = {
  state: 'connected',
  trouble: '',
  onState: () => () => {},
  ask: (subject, text, withinMs) =>
    new Promise((resolve, reject) => {
      const id = ++count
      const cancel = systemClock.after(withinMs, () => reject(new Unanswered('timeout')))
      asked.set(id, (said) => {
        cancel()
        resolve(said)
      })
      send({ id, subject, text })
    }),
  askForData: async (subject, text, withinMs) => ({ text: await bus.ask(subject, text, withinMs) }),
  tell: (subject, text) => send({ id: ++count, subject, text }),
  hear(pattern, listen) {
    listeners.push({ pattern, listen })
    return () => {}
  },
  close: async () => {}
}
const [, , home = ''] = process.argv
const note = (message: string, fields?: object) => console.error(message, fields)
openWorkerTasks({
  bus,
  clock: systemClock,
  folder: home,
  homeId: HOME,
  session: String(process.pid),
  cluster: CLUSTER,
  id: 'wa',
  environment: { PATH: process.env.PATH ?? '' },
  defaultShell: 'sh',
  maxProcesses: 8,
  log: { info: () => {}, warn: note, error: note }
})
