/** A worker that says on a bus what a test tells it to. */
import type { Bus } from '../../../src/bus/bus.ts'
import { type Answer, answerIn, BEAT_MS, type Hello, subjectsOf, written } from '../../../src/bus/messages.ts'

export interface FakeWorker {
  hello(): Promise<Answer>
  beat(): Promise<Answer>
  /** Says a text as its hello. */
  says(text: string): Promise<Answer>
  /** Says hello, and a heartbeat every second, hello again when it is asked to. Returns a function that ends this. */
  serve(): () => void
}

export function fakeWorker(bus: Bus, cluster: string, home: string, given: Partial<Hello> = {}): FakeWorker {
  const subjects = subjectsOf(cluster)
  const self: Hello = {
    v: 1,
    minV: 1,
    id: 'wa',
    home,
    session: 's1',
    labels: { zone: 'a' },
    slots: 4,
    version: '1.2.3',
    host: 'box',
    pid: 7,
    executors: ['shell'],
    ...given
  }
  let beats = 0
  const ask = async (kind: 'hello' | 'beat', text: string) =>
    answerIn(await bus.ask(subjects.up(home, kind), text, 20_000))
  const worker: FakeWorker = {
    hello: () => ask('hello', written({ kind: 'hello', ...self })),
    beat: () => ask('beat', written({ kind: 'beat', session: self.session, n: ++beats, load: { cpu: 5 } as never })), // the others are optional
    says: (text) => ask('hello', text),
    serve() {
      let isGreeted = false
      const tell = async () => {
        const { kind } = await (isGreeted ? worker.beat() : worker.hello())
        isGreeted = kind === 'welcome' || kind === 'heard'
      }
      const turn = () => void tell().catch(() => {})
      turn()
      const timer = setInterval(turn, BEAT_MS / 2)
      return () => clearInterval(timer)
    }
  }
  return worker
}
