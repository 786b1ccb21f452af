/** The audit log of a server elsewhere, line by line as it comes. */
import type { PlacedLine } from '../../audit/read.ts'
import { errorOf as refusalIn } from '../../client/api-error.ts'
import { codeOf, messageOf, TroupeError } from '../../errors.ts'
import type { Remote } from '../context.ts'
import { errorOf } from './api.ts'

/** @throws TroupeError: what the server refuses; service_unavailable: it does not answer, or has broken off */
export async function* streamed(
  { baseUrl, url, token, basic }: Remote,
  query: Readonly<Record<string, string | number>>
): AsyncGenerator<string> {
  const credentials =
    token === undefined
      ? basic && `Basic ${Buffer.from(`${basic.username}:${basic.password}`).toString('base64')}`
      : `Bearer ${token}`
  const search = new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [name, String(value)])
  )
  const response = await fetch(`${baseUrl}/audit/export?${search}`, {
    headers: credentials === undefined ? {} : { Authorization: credentials }
  }).catch((cause: unknown) => {
    throw errorOf(cause, url)
  })
  if (!response.ok) throw errorOf(await refusalIn(response), url)
  const decoder = new TextDecoder()
  try {
    for await (const chunk of response.body ?? []) yield decoder.decode(chunk, { stream: true })
  } catch (cause) {
    const why = codeOf(cause) ?? messageOf(cause)
    throw new TroupeError('service_unavailable', `${url} has broken off: ${why}`, { cause })
  }
}

export async function* linesFrom(chunks: AsyncIterable<string>): AsyncGenerator<PlacedLine> {
  let rest = ''
  let number = 0
  for await (const chunk of chunks) {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    for (const text of lines) yield { text, place: `line ${++number}`, isWhole: true }
  }
  if (rest !== '') yield { text: rest, place: `line ${++number}`, isWhole: false }
}
