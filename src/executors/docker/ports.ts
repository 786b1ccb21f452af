/** `ports` and `network` of a `container`. Source: execution-semantics 10.2.26, 10.2.27. */
import type { ApiObject } from './api-objects.ts'

const PORT =
  /^(?:(?:(?<ip>\d{1,3}(?:\.\d{1,3}){3}|\[[\da-f:.]+\]):)?(?<host>\d{0,5}(?:-\d{1,5})?):)?(?<inside>\d{1,5}(?:-\d{1,5})?)(?:\/(?<protocol>tcp|udp|sctp))?$/i

/** Exposed ports, and the host bindings of those that have one; on all addresses unless one is named. @throws Error */
export function published(ports: string[]): { exposed: ApiObject; bindings: ApiObject } {
  const exposed: ApiObject = {}
  const bindings: { [port: string]: ApiObject[] } = {}
  for (const text of ports) {
    const { ip = '0.0.0.0', host, inside = '', protocol = 'tcp' } = PORT.exec(text.trim())?.groups ?? {}
    const wanted = rangeOf(inside)
    const published = host && host !== '0' ? rangeOf(host) : undefined // without a number Docker chooses one
    if (wanted.length === 0 || (published && published.length !== wanted.length))
      throw new Error(
        `container.ports: wanted 80, 8080:80 or 127.0.0.1:8080:80, with /tcp, /udp or /sctp, found "${text}"`
      )
    wanted.forEach((port, index) => {
      const name = `${port}/${protocol.toLowerCase()}`
      exposed[name] = {}
      if (host === undefined) return
      const address = { HostIp: ip.replace(/^\[|\]$/g, ''), HostPort: String(published?.[index] ?? '') }
      bindings[name] = [...(bindings[name] ?? []), address]
    })
  }
  return { exposed, bindings }
}

const LAST_PORT = 65_535

function rangeOf(text: string): number[] {
  const [first = 0, last = first] = text.split('-').map(Number)
  return first > 0 && last >= first && last <= LAST_PORT
    ? Array.from({ length: last - first + 1 }, (_, index) => first + index)
    : []
}

/** The network of a container: a mode of Docker, or a named network. */
export function networkOf(network: string | undefined): { mode: ApiObject; endpoints: ApiObject } {
  if (!network) return { mode: {}, endpoints: {} }
  const isMode = /^(bridge|host|none|default|container:.+)$/.test(network)
  return { mode: { NetworkMode: network }, endpoints: isMode ? {} : { EndpointsConfig: { [network]: {} } } }
}
