/** Settings of coordinator and workers, checked together. Source: distribution 6, 8; api-semantics 7.2 (who may connect). */
import { join } from 'node:path'
import type { Values } from './table.ts'

/** Settings of both sides of the bus. Paths are absolute, or empty. */
export interface Coordination {
  /** Whether `start-all` starts a coordinator. */
  enabled: 'auto' | 'true' | 'false'
  host: string
  /** 0: no coordinator. */
  port: number
  advertise: string
  cluster: string
  /** Addresses of NATS servers that others run; then no coordinator of ours is needed. */
  nats: readonly string[]
  /** Folder of the address file. */
  registryDir: string
  /** Which workers have a key. */
  enrolmentFile: string
  peer: {
    /** Undefined: nobody has written it out. */
    insecure: boolean | undefined
    certFile: string
    keyFile: string
    clientCaFile: string
    skipTlsVerify: boolean
    token: string
  }
  worker: {
    /** Empty: host@pid. */
    id: string
    slots: number
    labels: Readonly<Record<string, string>>
    coordinators: readonly string[]
    lostAfterMs: number
    fenceAfterMs: number
    /** Bytes of runs that it keeps for its engine. */
    spoolLimit: number
    /** Key of a worker; empty: it has none. */
    keyFile: string
  }
}

const HOST = '127.0.0.1'
const PORT = 50_055

/** `never`: there is no coordinator; `found`: one that runs in this home is used; `wanted`: somebody has asked for one. */
export function useOf({ enabled, host, port, nats }: Coordination): 'never' | 'found' | 'wanted' {
  if (nats.length > 0) return 'wanted'
  if (port === 0) return 'never'
  return enabled === 'true' || host !== HOST || port !== PORT ? 'wanted' : 'found'
}

/** The hashes of a password that a NATS server takes for one; it knows four kinds. */
const HASH = /^\$2[abxy]\$/
/** A worker is unhealthy after 15 s, and lost only later. */
const LEAST_LOST_MS = 20_000
/** Nothing may begin a second time before what is lost has been ended there. */
const FENCE_LATER_MS = 10_000

/** @param isWritten whether `peer.insecure` was given @param problems gets a sentence for each that is wrong */
export function coordinationOf(v: Values, isWritten: boolean, problems: string[]): Coordination {
  const [certFile = '', keyFile = ''] = [v['peer.certFile'], v['peer.keyFile']]
  if ((certFile === '') !== (keyFile === '')) problems.push('peer: wanted both certFile and keyFile, found one of them')
  const lostAfterMs = v['worker.lostAfter'] ?? 0
  if (lostAfterMs < LEAST_LOST_MS) problems.push(`worker.lostAfter: wanted at least 20s, found ${lostAfterMs} ms`)
  const fenceAfterMs = v['worker.fenceAfter'] ?? 0
  if (fenceAfterMs < lostAfterMs + FENCE_LATER_MS)
    problems.push(
      `worker.fenceAfter: wanted at least worker.lostAfter + 10s, which is ${lostAfterMs + FENCE_LATER_MS} ms, found ${fenceAfterMs} ms`
    )
  const coordinators = v['worker.coordinators'] ?? []
  for (const address of coordinators)
    if (!/^(\[[^\]]+\]|[^:\s]+):\d{1,5}$/.test(address))
      problems.push(`worker.coordinators: wanted host:port, found ${JSON.stringify(address)}`)
  for (const address of v['coordinator.nats'] ?? [])
    if (!/^((nats|tls):\/\/)?(\[[^\]]+\]|[^:/@\s]+)(:\d{1,5})?$/.test(address))
      problems.push(
        `coordinator.nats: wanted host:port, found ${address.includes('@') ? 'something with credentials' : JSON.stringify(address)}`
      )
  if (HASH.test(v['peer.token'] ?? ''))
    problems.push('peer.token: wanted a text that does not look like a bcrypt hash, found one that begins like it')
  return {
    enabled: v['coordinator.enabled'] ?? 'auto',
    host: v['coordinator.host'] || HOST,
    port: v['coordinator.port'] ?? 0,
    advertise: v['coordinator.advertise'] ?? '',
    cluster: v['coordinator.cluster'] ?? '',
    nats: v['coordinator.nats'] ?? [],
    registryDir: v['paths.serviceRegistryDir'] ?? '',
    enrolmentFile: join(v['paths.dataDir'] ?? '', 'enrolled-workers.json'),
    peer: {
      insecure: isWritten ? v['peer.insecure'] : undefined,
      certFile,
      keyFile,
      clientCaFile: v['peer.clientCaFile'] ?? '',
      skipTlsVerify: v['peer.skipTlsVerify'] ?? false,
      token: v['peer.token'] ?? ''
    },
    worker: {
      id: v['worker.id'] ?? '',
      slots: v['worker.maxActiveRuns'] ?? 1,
      labels: v['worker.labels'] ?? {},
      coordinators,
      lostAfterMs,
      fenceAfterMs,
      spoolLimit: v['worker.spoolLimit'] ?? 0,
      keyFile: v['worker.keyFile'] ?? ''
    }
  }
}
