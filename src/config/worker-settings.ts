/** Settings about workers on other machines: known, and without effect in this release. Data. */
import { row } from './row.ts'
import { boolean, integer, labels, list, path, port, text } from './types.ts'

export const WORKERS = {
  'coordinator.host': row(text, '127.0.0.1', {
    env: 'COORDINATOR_HOST',
    later: true,
    help: 'address of the coordinator'
  }),
  'coordinator.port': row(port, 50_055, { env: 'COORDINATOR_PORT', later: true, help: 'its port' }),
  'coordinator.advertise': row(text, '', {
    env: 'COORDINATOR_ADVERTISE',
    later: true,
    help: 'its address for workers; empty: the host name'
  }),
  'worker.id': row(text, '', { env: 'WORKER_ID', later: true, help: 'name of a worker; empty: host@pid' }),
  'worker.maxActiveRuns': row(integer(1, 1_000_000), 100, {
    env: 'WORKER_MAX_ACTIVE_RUNS',
    later: true,
    help: 'concurrent runs of a worker'
  }),
  'worker.labels': row(labels, {}, { env: 'WORKER_LABELS', later: true, help: 'labels of a worker' }),
  'worker.coordinators': row(list, [], { env: 'WORKER_COORDINATORS', later: true, help: 'coordinators of a worker' }),
  'peer.insecure': row(boolean, true, {
    env: 'PEER_INSECURE',
    later: true,
    help: 'connect to the coordinator without TLS'
  }),
  'peer.certFile': row(path, '', { env: 'PEER_CERT_FILE', later: true, help: 'certificate of that connection' }),
  'peer.keyFile': row(path, '', { env: 'PEER_KEY_FILE', later: true, help: 'its key' }),
  'peer.clientCaFile': row(path, '', { env: 'PEER_CLIENT_CA_FILE', later: true, help: 'authority of that connection' }),
  'peer.skipTlsVerify': row(boolean, false, {
    env: 'PEER_SKIP_TLS_VERIFY',
    later: true,
    help: 'trust any certificate'
  }),
  'peer.token': row(text, '', { env: 'PEER_TOKEN', secret: true, later: true, help: 'credential of that connection' })
}
