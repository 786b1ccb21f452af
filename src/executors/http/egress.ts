/** Holds http steps to `executors.http.egress`: the address counts, whatever name led there. Source: docs/operating/limits.md. */
import { lookup as systemLookup } from 'node:dns'
import { BlockList, isIP, type LookupFunction, type Socket } from 'node:net'
import type { buildConnector } from 'undici'
import { type Egress, hiddenIn, type Network, PRIVATE, plain } from './addresses.ts'

export interface EgressGuard {
  /** For a connection to a host: only addresses that may be connected to. */
  lookup: LookupFunction
  /** A connector for hosts that are addresses too; what it has connected to is looked at once more. */
  guarded(connect: buildConnector.connector): buildConnector.connector
  /** A connector to a proxy, which connects to the host itself: all that the host's name stands for here must be allowed. */
  throughProxy(connect: buildConnector.connector, hostname: string): buildConnector.connector
}

const SETTING = 'executors.http.egress'

export class EgressRefused extends Error {
  override readonly name = 'EgressRefused'
}

// D1474: http: the address of a connection is checked, not the name
/** @param find asks the system for the addresses of a name */
export function egressGuard(egress: Egress, find: typeof systemLookup = systemLookup): EgressGuard {
  const allowed = listOf(egress.allow)
  const denied = listOf(egress.deny)
  const kinds = egress.private
    ? []
    : PRIVATE.map(([what, networks]) => [what, listOf(networks.map(networkOf))] as const)

  /** Why an address may not be connected to; undefined: it may. */
  function refusalOf(address: string, host: string): string | undefined {
    const hidden = hiddenIn(address)
    const forms = hidden === undefined ? [address] : [address, hidden]
    const isIn = (list: BlockList) => forms.some((form) => list.check(form, isIP(form) === 6 ? 'ipv6' : 'ipv4'))
    const shown = address === plain(host) ? address : `${address} (${host})`
    if (isIn(denied)) return `${shown} may not be connected to: ${SETTING}.deny has it`
    if (isIn(allowed)) return undefined
    const [what] = kinds.find(([, list]) => isIn(list)) ?? []
    return what && `${shown} may not be connected to: it is an address ${what}, and ${SETTING}.private is off`
  }

  const lookup: LookupFunction = (hostname, options, callback) => {
    find(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, [])
      const refusals = addresses.map(({ address }) => refusalOf(address, hostname))
      const good = addresses.filter((_, at) => refusals[at] === undefined)
      const [first] = good
      if (!first) return callback(new EgressRefused(refusals[0] ?? `${hostname} has no address`), [])
      if (options.all) callback(null, good)
      else callback(null, first.address, first.family)
    })
  }

  /** The first that may not be connected to. */
  const refusedAddress = (hostname: string) =>
    new Promise<Error | undefined>((resolve) => {
      const refused = (text: string | undefined) => resolve(text === undefined ? undefined : new EgressRefused(text))
      if (isIP(plain(hostname))) refused(refusalOf(plain(hostname), hostname))
      else
        find(hostname, { all: true }, (error, addresses) => {
          if (error)
            refused(`${hostname} has no address here (${error.code}), so that ${SETTING} cannot be held to by a proxy`)
          else refused(addresses.map(({ address }) => refusalOf(address, hostname)).find((one) => one !== undefined))
        })
    })

  return {
    lookup,
    guarded: (connect) => (options, callback) => {
      const address = plain(options.hostname)
      const refusal = isIP(address) ? refusalOf(address, options.hostname) : undefined
      if (refusal !== undefined) return callback(new EgressRefused(refusal), null)
      connect(options, (...[error, socket]: [Error | null, Socket | null]) => {
        const reached = plain(socket?.remoteAddress ?? '')
        const late = isIP(reached) ? refusalOf(reached, options.hostname) : undefined
        if (late === undefined)
          return socket ? callback(null, socket) : callback(error ?? new Error('no connection'), null)
        socket?.destroy()
        callback(new EgressRefused(late), null)
      })
    },
    throughProxy: (connect, hostname) => (options, callback) => {
      void refusedAddress(hostname).then((error) => (error ? callback(error, null) : connect(options, callback)))
    }
  }
}

function listOf(networks: readonly Network[]): BlockList {
  const list = new BlockList()
  for (const { address, prefix } of networks) list.addSubnet(address, prefix, isIP(address) === 6 ? 'ipv6' : 'ipv4')
  return list
}

function networkOf(text: string): Network {
  const [address = '', prefix] = text.split('/')
  return { address, prefix: Number(prefix) }
}
