/** The version of this package. Source: api-semantics 11. */
import { readFileSync } from 'node:fs'

/** Version of this package, such as `0.1.0`. */
export function version(): string {
  const { version } = JSON.parse(readFileSync(new URL('../../../../package.json', import.meta.url), 'utf8')) as {
    version: string // our own package.json
  }
  return version
}
