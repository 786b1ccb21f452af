/** `troupe/client` and a real server, for the tests of a `describe`. */
import { expect } from 'chai'
import { createClient } from '../../src/client/index.ts'
import { liveApi } from '../support/api/live-api.ts'

export const SPEC =
  'params: NAME=world\nsteps:\n  - name: greet\n    command: echo "hello ${NAME}"\n    output: GREETING\n'

export function liveClient() {
  const api = liveApi()
  const baseUrl = () => `http://127.0.0.1:${api.port}/api/v2`
  const client = () => createClient({ baseUrl: baseUrl() })

  const failure = async (asked: Promise<unknown>): Promise<unknown> =>
    asked.then(
      () => expect.fail('it was not refused'),
      (error: unknown) => error
    )
  return { api, baseUrl, client, failure }
}
