/** For the tests of a `describe` about runs: each has its server and engine, with two definitions and one that is broken. */
import { fakeEngine, planOf } from '../support/engine/fake-engine.ts'
import { eachServed, type Sent } from './client.ts'

export function eachWithRuns() {
  const { serving, call: send } = eachServed()
  const call = (method: string, path: string, body?: Sent['body']) => send(method, path, { body })
  return {
    call,
    async codeOf(method: string, path: string, body?: Sent['body']) {
      const { status, json } = await call(method, path, body)
      return [status, json?.code]
    },
    serving() {
      const engine = fakeEngine({ tz: 'Asia/Tokyo' }, { nightly: planOf('nightly'), file: planOf('other') })
      engine.texts.set('broken', 'depends: nobody')
      return serving(engine)
    }
  }
}
