/** The request of a form as a line for a shell. */
import { shellQuote } from '../../platform/shell/shell-word.ts'
import { METHODS, urlOf } from '../api.ts'

/** @param path below the API @param origin of the server, such as `https://host:8080` */
export function curlLine(path: string, body: object, origin: string): string {
  const credentials = METHODS.includes('token')
    ? [`-H "Authorization: Bearer $TROUPE_TOKEN"`]
    : METHODS.includes('basic')
      ? ['-u "$TROUPE_USER"']
      : []
  return [
    'curl -X POST',
    ...credentials,
    "-H 'Content-Type: application/json'",
    `-d ${shellQuote(JSON.stringify(body))}`,
    shellQuote(new URL(urlOf(path), origin).href)
  ].join(' ')
}
