/** An engine without runs but one, mounted below /flows of a host application. */
import type { HttpOptions, Principal } from '../../../src/http/index.ts'
import { fakeEngine, planOf } from '../engine/fake-engine.ts'

export const ANNA: Principal = { name: 'anna', permissions: ['read', 'run', 'write'] }

/** With the definition `hello`, and its run `one`. */
export function mountedEngine() {
  const engine = fakeEngine({}, { hello: planOf('hello') })
  engine.addRun({ name: 'hello', dagRunId: 'one' })
  return engine
}

export const mountOptions = (wish: Partial<HttpOptions> = {}): HttpOptions => ({
  prefix: '/flows',
  authorize: () => ANNA,
  ...wish
})

export const post = (path: string, body: object, headers: Record<string, string> = {}): Request =>
  new Request(`http://shop.example${path}`, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'Content-Type': 'application/json', ...headers }
  })
