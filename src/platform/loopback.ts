/** Hosts that only this machine can reach. */
import { BlockList, isIP } from 'node:net'

const LOOPBACK = new BlockList()
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4')
LOOPBACK.addAddress('::1', 'ipv6')

/** True for loopback addresses and `localhost`; names are not looked up. */
export function isLoopback(host: string): boolean {
  const version = isIP(host)
  if (version === 0) return host.toLowerCase() === 'localhost'
  return LOOPBACK.check(host, version === 4 ? 'ipv4' : 'ipv6')
}
