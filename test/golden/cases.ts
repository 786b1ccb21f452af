/** Recorded results: a folder per case under fixtures, input beside what came out of it. UPDATE_GOLDEN=1 records anew. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'

const fixtures = new URL('../../../fixtures/', import.meta.url)

/** Names of the cases of an area such as `expand`. */
export const casesOf = (area: string): string[] =>
  readdirSync(new URL(`${area}/`, fixtures), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)

export const fixture = (path: string): string => readFileSync(new URL(path, fixtures), 'utf8')

/** The recorded JSON value; when recording, `found` itself. */
export function golden(path: string, found: unknown): unknown {
  if (process.env.UPDATE_GOLDEN) writeFileSync(new URL(path, fixtures), `${JSON.stringify(found, undefined, 2)}\n`)
  return JSON.parse(fixture(path))
}
