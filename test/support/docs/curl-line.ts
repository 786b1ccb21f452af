/** Whether the API has the operation that a call of `curl` in a page asks for. */
import { operationsOf } from '../../../src/site/tables/operations.ts'
import { testDocument } from '../api/response-check.ts'

/** Words of one simple command. Quotes are taken off; what they hold stays as it is. */
function wordsOf(command: string): string[] {
  return Array.from(command.matchAll(/(?:'[^']*'|"(?:\\.|[^"\\])*"|\\.|[^\s'"\\])+/gs), ([word]) =>
    word.replace(
      /'([^']*)'|"((?:\\.|[^"\\])*)"|\\(.)/gs,
      (_all, single, double, escaped) => single ?? double ?? escaped
    )
  )
}

/** What the contract of the API says of a call of `curl`; undefined: it has the operation, or it is another server. */
export function contractProblem(command: string): string | undefined {
  const words = wordsOf(command)
  const address = words.find((word) => /^(?:https?:\/\/|\$API)/.test(word))
  if (address === undefined) return 'curl without an address'
  const path = /^(?:\$API|https?:\/\/.*?\/api\/v2)(\/[^?]*)?/.exec(address)
  if (!path) return undefined
  const way = words.indexOf('-X')
  const hasBody = words.some((word) => /^(?:-d|--data)/.test(word)) && !words.some((word) => /^-\w*G/.test(word))
  const method = way >= 0 ? words[way + 1] : hasBody ? 'POST' : 'GET'
  const asked = (path[1] ?? '').split('/')
  const isThere = operationsOf(testDocument).some(
    (one) =>
      one.method === method &&
      one.path.split('/').length === asked.length &&
      one.path.split('/').every((part, at) => part.startsWith('{') || part === asked[at])
  )
  return isThere ? undefined : `the API has no ${method} ${path[1]}`
}
