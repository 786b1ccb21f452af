/** The request of a form as a line for a shell. */
import { METHODS, urlOf } from '../api.ts'

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

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
    `-d ${quoted(JSON.stringify(body))}`,
    quoted(new URL(urlOf(path), origin).href)
  ].join(' ')
}
