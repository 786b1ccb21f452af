/**
 * Settings about workers: programs on this and other machines, and the coordinator that they find the engine through. Data.
 * Source: distribution 8.
 */
import { row } from './row.ts'
import {
  bearer,
  boolean,
  duration,
  integer,
  labels,
  list,
  path,
  port,
  size,
  subjectWord,
  switched,
  text
} from './types.ts'

export const WORKERS = {
  'coordinator.enabled': row(
    switched,
    'auto',
    'start-all starts a coordinator; auto: when coordinator.host is not loopback'
  ),
  'coordinator.host': row(text, '127.0.0.1', 'address on which the coordinator listens for workers', {
    flag: 'coordinator.host'
  }),
  'coordinator.port': row(port, 50_055, 'its port; 0: there is no coordinator', { flag: 'coordinator.port' }),
  'coordinator.advertise': row(
    text,
    '',
    'its address for workers; empty: the host name, or coordinator.host on loopback',
    { flag: 'coordinator.advertise' }
  ),
  'coordinator.cluster': row(subjectWord, 'troupe', 'name that tells engines on one message bus apart'),
  'coordinator.nats': row(
    list,
    [],
    'addresses of NATS servers of your own; engine and workers sign in as engine and worker, with peer.token'
  ),
  'worker.id': row(text, '', 'name of a worker; empty: host@pid', { flag: 'worker.id' }),
  'worker.maxActiveRuns': row(integer(1, 1_000_000), 100, 'concurrent runs of a worker', {
    flag: 'worker.max-active-runs'
  }),
  'worker.labels': row(labels, {}, 'labels of a worker', { flag: 'worker.labels' }),
  'worker.coordinators': row(
    list,
    [],
    'addresses (host:port) at which a worker finds a coordinator; empty: that of its home, else coordinator.host and .port',
    { flag: 'worker.coordinators' }
  ),
  'worker.lostAfter': row(
    duration,
    30_000,
    'silence after which the engine takes a worker for lost (ms), at least 20 s'
  ),
  'worker.fenceAfter': row(
    duration,
    60_000,
    'silence after which the steps of a lost worker have been ended on its machine, so that they may begin elsewhere (ms); at least worker.lostAfter + 10 s'
  ),
  'worker.spoolLimit': row(
    size,
    10 * 1024 ** 3,
    'logs and records of runs that a worker keeps until its engine has them (bytes); beyond it takes no further run'
  ),
  'worker.keyFile': row(
    path,
    '',
    'key of a worker, from troupe worker enroll: it signs in with that instead of peer.token'
  ),
  'peer.insecure': row(boolean, true, 'workers may connect without TLS; beyond loopback only if this is written out', {
    flag: 'peer.insecure'
  }),
  'peer.certFile': row(path, '', 'certificate (PEM) of this side of that connection', { flag: 'peer.cert-file' }),
  'peer.keyFile': row(path, '', 'its key (PEM)', { flag: 'peer.key-file' }),
  'peer.clientCaFile': row(
    path,
    '',
    'authority (PEM) of the other side: a coordinator then requires certificates of workers',
    { flag: 'peer.client-ca-file' }
  ),
  'peer.skipTlsVerify': row(boolean, false, 'a worker trusts any certificate', { flag: 'peer.skip-tls-verify' }),
  'peer.token': row(bearer, '', 'credential that coordinator and workers share; required beyond loopback', {
    secret: true
  })
}
