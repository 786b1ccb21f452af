/** What the list of definitions shows, for tests that write them. */
import { expect } from 'chai'
import { eventually } from '../waiting.ts'
import type { Json, LiveApi } from './live-api.ts'

export const described = (description: string) => `description: ${description}\nsteps: ["true"]\n`

export async function namesListed(api: LiveApi): Promise<string[]> {
  const { status, json } = await api.call('GET', '/dags?perPage=1000')
  expect(status).to.equal(200)
  return json.dags.map(({ fileName }: Json) => fileName)
}
export async function descriptionListed(api: LiveApi, fileName: string): Promise<string | undefined> {
  const { dags } = (await api.call('GET', '/dags?perPage=1000')).json
  return dags.find((dag: Json) => dag.fileName === fileName)?.dag.description
}
/** Waits until the list shows it, 1 s at most. */
export const soon = (what: string, holds: () => Promise<boolean>) =>
  eventually(what, async () => ((await holds()) ? true : undefined), 1_000)
