/**
 * Whom a request counts for: the address it came from, and by which name and scheme it was asked. A proxy that is trusted says so in
 * `X-Forwarded-For`, `-Host` and `-Proto`; what anybody else says there is not looked at. `Forwarded` is never looked at: a proxy that
 * writes the one passes on what a client has written into the other. Source: docs/authentication.md "Behind a proxy".
 */
import type { IncomingMessage } from 'node:http'
import { BlockList, isIP, isIPv6 } from 'node:net'
import { networkIn } from '../config.ts'

export interface Client {
  /** As an IP address without a zone; empty on a local socket. */
  address: string
  /** What a trusted proxy was asked as, `name` or `name:port`; absent: it does not say. */
  host?: string
  /** How a trusted proxy was asked; absent: it does not say. */
  scheme?: 'http' | 'https'
}

export interface ClientState {
  client?: Client
}

/** Who has sent a request, as `clientsOf` has noted it. */
export const clientOf = ({ state }: { state: ClientState }): Client => state.client ?? NOBODY
const NOBODY: Client = { address: '' }

export interface Proxies {
  isTrusted(address: string): boolean
  /** Whom a request counts for. */
  clientOf(request: IncomingMessage): Client
}

// D273
/** @param trusted addresses and networks, as `networkIn` reads them */
export function proxiesOf(trusted: readonly string[]): Proxies {
  const known = new BlockList()
  for (const network of trusted.map(networkIn))
    if (network) known.addSubnet(network.address, network.prefix, network.version === 4 ? 'ipv4' : 'ipv6')
  const isTrusted = (address: string) =>
    trusted.length > 0 && address !== '' && known.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
  return {
    isTrusted: (address) => isTrusted(plainAddress(address)),
    clientOf({ socket, headers }) {
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
 * The first address, read from the right, that no trusted proxy has: what stands to the left of it was written by that client. What
 * is no address ends the way as well: the request then counts for the proxy that has passed that on.
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

/** What the nearest proxy has added: those before it may come from the client. */
const lastOf = (header: string | string[] | undefined): string =>
  String(header ?? '')
    .split(',')
    .at(-1)
    ?.trim() ?? ''

/** Without a zone, and IPv4 as IPv4. */
export const plainAddress = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '')

/** What is counted as one address. Of IPv6, the first half: a single customer has all of the second. */
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
