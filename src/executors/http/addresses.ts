/** Addresses that are not for everybody: of this machine, a private network, the link, clouds' metadata. Data, and how IPv6 hides IPv4. */
import { isIPv4 } from 'node:net'

export interface Network {
  address: string
  /** Length of the prefix, bits. */
  prefix: number
}

/** Where http steps may connect to. */
export interface Egress {
  /** Whether addresses that are not for everybody may be connected to. */
  private: boolean
  /** May be connected to even so. */
  allow: readonly Network[]
  /** May never be. */
  deny: readonly Network[]
}

/** What an address is, as a clause, and the networks that are so. */
export const PRIVATE: readonly [what: string, networks: readonly string[]][] = [
  ['of this machine', ['0.0.0.0/8', '127.0.0.0/8', '::/96']],
  ['of the link, where clouds have their metadata', ['169.254.0.0/16', 'fe80::/10', 'fec0::/10']],
  ['of the metadata of a cloud', ['168.63.129.16/32', '100.100.100.200/32', '192.0.0.192/32', 'fd00:ec2::/32']],
  ['of a private network', ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', 'fc00::/7']],
  ['for several receivers', ['224.0.0.0/4', 'ff00::/8']],
  [
    'for special purposes',
    [
      '192.0.0.0/24',
      '192.0.2.0/24',
      '192.88.99.0/24',
      '198.18.0.0/15',
      '198.51.100.0/24',
      '203.0.113.0/24',
      '240.0.0.0/4',
      '::ffff:0:0:0/96',
      '64:ff9b:1::/48',
      '100::/64',
      '2001::/32',
      '2001:db8::/32'
    ]
  ]
]

/** An address without zone and brackets. */
export const plain = (address: string): string => address.replace(/^\[(.*)\]$/, '$1').replace(/%.*$/, '')

/** The IPv4 address that packets to an IPv6 address come to in the end: mapped, NAT64, 6to4. Undefined: none. */
export function hiddenIn(address: string): string | undefined {
  if (isIPv4(address)) return undefined
  const groups = groupsOf(address)
  const [first = 0, second = 0, third = 0] = groups
  const head = groups.slice(0, 6).join(':')
  if (head === '0:0:0:0:0:65535' || head === '100:65435:0:0:0:0') return dotted(groups[6] ?? 0, groups[7] ?? 0)
  return first === 0x2002 ? dotted(second, third) : undefined
}

const dotted = (high: number, low: number) => [high >> 8, high & 255, low >> 8, low & 255].join('.')

// D1660: a library takes some addresses for others
/** The eight numbers of an IPv6 address. */
function groupsOf(address: string): number[] {
  const { hostname } = new URL(`http://[${address}]`) // it writes all of them alike, without dots
  const [left = '', right] = hostname.slice(1, -1).split('::')
  const numbers = (text = '') => (text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16)))
  const [before, after] = [numbers(left), numbers(right)]
  const zeros = right === undefined ? [] : Array.from({ length: 8 - before.length - after.length }, () => 0)
  return [...before, ...zeros, ...after]
}
