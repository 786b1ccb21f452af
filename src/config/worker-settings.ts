/**
 * Settings about workers: programs on this and other machines, and the coordinator that they find the engine through. Data.
 * Source: distribution 8.
 */
import { row } from './row.ts'
import { bearer, boolean, duration, integer, labels, list, path, port, subjectWord, switched, text } from './types.ts'

export const WORKERS = {
  'coordinator.enabled': row(switched, 'auto', {
    env: 'COORDINATOR_ENABLED',
    help: 'start-all starts a coordinator; auto: when coordinator.host is not loopback'
  }),
  'coordinator.host': row(text, '127.0.0.1', {
    env: 'COORDINATOR_HOST',
    flag: 'coordinator.host',
    help: 'address on which the coordinator listens for workers'
  }),
  'coordinator.port': row(port, 50_055, {
    env: 'COORDINATOR_PORT',
    flag: 'coordinator.port',
    help: 'its port; 0: there is no coordinator'
  }),
  'coordinator.advertise': row(text, '', {
    env: 'COORDINATOR_ADVERTISE',
    flag: 'coordinator.advertise',
    help: 'its address for workers; empty: the host name, or coordinator.host on loopback'
  }),
  'coordinator.cluster': row(subjectWord, 'troupe', {
    env: 'COORDINATOR_CLUSTER',
    help: 'name that tells engines on one message bus apart'
  }),
  'coordinator.nats': row(list, [], {
    env: 'COORDINATOR_NATS',
    help: 'addresses of NATS servers of your own; engine and workers sign in as engine and worker, with peer.token'
  }),
  'worker.id': row(text, '', { env: 'WORKER_ID', flag: 'worker.id', help: 'name of a worker; empty: host@pid' }),
  'worker.maxActiveRuns': row(integer(1, 1_000_000), 100, {
    env: 'WORKER_MAX_ACTIVE_RUNS',
    flag: 'worker.max-active-runs',
    help: 'concurrent runs of a worker'
  }),
  'worker.labels': row(labels, {}, { env: 'WORKER_LABELS', flag: 'worker.labels', help: 'labels of a worker' }),
  'worker.coordinators': row(list, [], {
    env: 'WORKER_COORDINATORS',
    flag: 'worker.coordinators',
    help: 'addresses (host:port) at which a worker finds a coordinator; empty: that of its home, else coordinator.host and .port'
  }),
  'worker.lostAfter': row(duration, 30_000, {
    env: 'WORKER_LOST_AFTER',
    help: 'silence after which the engine takes a worker for lost (ms), at least 20 s'
  }),
  'worker.fenceAfter': row(duration, 60_000, {
    env: 'WORKER_FENCE_AFTER',
    help: 'silence after which the steps of a lost worker have been ended on its machine, so that they may begin elsewhere (ms); at least worker.lostAfter + 10 s'
  }),
  'worker.keyFile': row(path, '', { env: 'WORKER_KEY_FILE', later: true, help: 'key of an enrolled worker' }),
  'peer.insecure': row(boolean, true, {
    env: 'PEER_INSECURE',
    flag: 'peer.insecure',
    help: 'workers may connect without TLS; beyond loopback only if this is written out'
  }),
  'peer.certFile': row(path, '', {
    env: 'PEER_CERT_FILE',
    flag: 'peer.cert-file',
    help: 'certificate (PEM) of this side of that connection'
  }),
  'peer.keyFile': row(path, '', { env: 'PEER_KEY_FILE', flag: 'peer.key-file', help: 'its key (PEM)' }),
  'peer.clientCaFile': row(path, '', {
    env: 'PEER_CLIENT_CA_FILE',
    flag: 'peer.client-ca-file',
    help: 'authority (PEM) of the other side: a coordinator then requires certificates of workers'
  }),
  'peer.skipTlsVerify': row(boolean, false, {
    env: 'PEER_SKIP_TLS_VERIFY',
    flag: 'peer.skip-tls-verify',
    help: 'a worker trusts any certificate'
  }),
  'peer.token': row(bearer, '', {
    env: 'PEER_TOKEN',
    secret: true,
    help: 'credential that coordinator and workers share; required beyond loopback'
  })
}
