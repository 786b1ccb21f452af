/**
 * The client of a request: its address, and the host name and scheme of its request. A trusted proxy says so in `X-Forwarded-For`,
 * `-Host` and `-Proto`; from anybody else these headers are ignored. `Forwarded` is always ignored: a proxy that sets the former
 * passes on a client's own value of the latter. Source: docs/authentication.md "Behind a proxy".
 */
import type { IncomingMessage } from 'node:http'
import { BlockList, isIP, isIPv6 } from 'node:net'
import { networkIn } from '../config.ts'

export interface Client {
  /** As an IP address without a zone; empty on a local socket. */
  address: string
  /** The host of the request to a trusted proxy, `name` or `name:port`; absent: it does not say. */
  host?: string
  /** The scheme of the request to a trusted proxy; absent: it does not say. */
  scheme?: 'http' | 'https'
}

export interface ClientState {
  client?: Client
}

/** The client of a request, as `clientsOf` has stored it. */
export const clientOf = ({ state }: { state: ClientState }): Client => state.client ?? NOBODY
const NOBODY: Client = { address: '' }

// D273: only `X-Forwarded-For`, `-Host` and `-Proto` of trusted proxies are believed
/** @param trusted addresses and networks, as `networkIn` reads them */
export function proxiesOf(trusted: readonly string[]) {
  const known = new BlockList()
  for (const network of trusted.map(networkIn))
    if (network) known.addSubnet(network.address, network.prefix, network.version === 4 ? 'ipv4' : 'ipv6')
  const isTrusted = (address: string) =>
    trusted.length > 0 && address !== '' && known.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
  return {
    isTrusted: (address: string): boolean => isTrusted(plainAddress(address)),
    /** The client of a request. */
    clientOf({ socket, headers }: IncomingMessage): Client {
      const peer = plainAddress(socket.remoteAddress ?? '')
      if (!isTrusted(peer)) return { address: peer }
      const host = lastOf(headers['x-forwarded-host'])
      const scheme = lastOf(headers['x-forwarded-proto']).toLowerCase()
      return {
        address: furthest(peer, headers['x-forwarded-for'], isTrusted),
        ...(host === '' ? {} : { host }),
        ...(scheme === 'http' || scheme === 'https' ? { scheme } : {})
      }
    }
  }
}

/**
 * The first address from the right that is not a trusted proxy's: everything to the left of it was written by that client. A value
 * that is not an address also ends the search: the request then counts for the proxy that passed it on.
 */
function furthest(
  peer: string,
  header: string | string[] | undefined,
  isTrusted: (address: string) => boolean
): string {
  const hops = String(header ?? '').split(',')
  let address = peer
  for (let at = hops.length - 1; at >= 0 && isTrusted(address); at--) {
    const hop = addressIn(hops[at] ?? '')
    if (hop === undefined) break
    address = hop
  }
  return address
}

/** The address in `192.0.2.7`, `192.0.2.7:80`, `2001:db8::1` or `[2001:db8::1]:80`. */
function addressIn(text: string): string | undefined {
  const [, inBrackets, v4] = /^(?:\[([^\]]+)\]|([\d.]+))(?::\d{1,5})?$/.exec(text.trim()) ?? []
  const address = plainAddress(inBrackets ?? v4 ?? text.trim())
  return isIP(address) === 0 ? undefined : address
}

/** The value that the nearest proxy added: earlier ones may come from the client. */
const lastOf = (header: string | string[] | undefined): string =>
  String(header ?? '')
    .split(',')
    .at(-1)
    ?.trim() ?? ''

/** Without a zone, and IPv4 as IPv4. */
export const plainAddress = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '')

/** The unit of counting. For IPv6, the first half: a single customer has all of the second. */
export function networkOf(address: string): string {
  const bare = plainAddress(address)
  if (!isIPv6(bare)) return bare
  const [head = '', tail] = bare.split('::')
  const [before, after] = [head, tail ?? ''].map((part) => part.split(':').filter((group) => group !== ''))
  const gap = tail === undefined ? 0 : 8 - (before?.length ?? 0) - (after?.length ?? 0)
  const groups = [...(before ?? []), ...Array<string>(Math.max(0, gap)).fill('0'), ...(after ?? [])]
  return groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')
}
