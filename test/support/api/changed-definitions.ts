/** The API of a real engine, for the tests of a `describe` that change definitions, and where their files lie. */
import { join } from 'node:path'
import { type Json, liveApi } from './live-api.ts'

export const HELLO = 'steps:\n  - echo hi\n'
export const SLEEPER = 'steps:\n  - sleep 30\n'

export function changedDefinitions() {
  const api = liveApi({ tz: 'Europe/Berlin' })
  const fileOf = (fileName: string) => join(api.engine.config.dagsDir, `${fileName}.yaml`)
  const flagOf = (fileName: string) => join(api.engine.home, 'suspend', `${fileName}.suspend`)
  const detailsOf = async (fileName: string): Promise<Json> => (await api.call('GET', `/dags/${fileName}`)).json
  return { api, codeOf: api.codeOf, fileOf, flagOf, detailsOf }
}
