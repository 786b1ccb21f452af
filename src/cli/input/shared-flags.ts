/** Flags of several commands, and those of all. Data. */
import type { Flag } from './command.ts'

// D410: the internal flags `--root`, `--parent` and `--worker-id` do not exist
export const commonFlags: Flag[] = [
  { name: 'home', value: 'DIR', alias: 'engine-home', help: 'home folder, instead of ENGINE_HOME' },
  { name: 'config', short: 'c', value: 'FILE', help: 'configuration file, instead of config.yaml in the home' },
  { name: 'url', value: 'URL', help: 'work on the server at this address, instead of a home' },
  { name: 'token-file', value: 'FILE', help: 'file with the token for that server, instead of ENGINE_AUTH_TOKEN' },
  { name: 'json', help: 'print JSON' },
  { name: 'quiet', short: 'q', help: 'print errors only' },
  { name: 'help', short: 'h', help: 'show this help' }
]

export const newRunId: Flag = { name: 'run-id', short: 'r', value: 'ID', help: 'id for the new run' }
export const runId: Flag = { ...newRunId, help: 'id of the run, as in NAME:ID; latest is the newest' }
export const subRunId: Flag = {
  name: 'sub-run-id',
  value: 'ID',
  help: 'id of a sub DAG run below it, whose step is meant'
}
export const params: Flag = {
  name: 'params',
  short: 'p',
  value: 'PARAMS',
  mayBeEmpty: true,
  once: true,
  help: 'params as one text: \'A=1 B="two words"\''
}
export const dagName: Flag = {
  name: 'name',
  short: 'N',
  value: 'NAME',
  help: 'DAG name of the run, instead of the one in the definition'
}
/** Flags of a run that may have to wait. */
export const placing: Flag[] = [
  { name: 'at', value: 'TIME', help: 'wait in the queue until then: 2026-11-01T02:00:00+01:00, or +10m' },
  { name: 'priority', value: 'N', help: 'the highest of those that wait is next: -1000 to 1000 (0)' },
  {
    name: 'idempotency-key',
    value: 'KEY',
    help: 'the same key again starts no second run, and is answered like the first'
  }
]
export const output: Flag = {
  name: 'output',
  value: 'WHICH',
  help: 'output to show: all (default), failed (only of failed steps), none'
}
export const unlimited: Flag = { name: 'disable-max-active-runs', help: 'ignore maxActiveRuns' }
export const listening: Flag[] = [
  { name: 'host', short: 's', value: 'HOST', help: 'address to listen on (127.0.0.1)' },
  { name: 'port', short: 'p', value: 'PORT', help: 'port to listen on (8080); 0 for any free port' },
  { name: 'dags', short: 'd', value: 'DIR', help: 'folder with the definitions' }
]

const peer: Flag[] = [
  { name: 'peer.cert-file', value: 'FILE', help: 'certificate (PEM) of this side' },
  { name: 'peer.key-file', value: 'FILE', help: 'its key (PEM)' },
  { name: 'peer.client-ca-file', value: 'FILE', help: 'authority (PEM) of the certificates of the other side' },
  { name: 'peer.insecure', help: 'allow connections from other machines without TLS' },
  { name: 'peer.skip-tls-verify', help: 'a worker trusts any certificate' }
]
export const coordinating: Flag[] = [
  { name: 'coordinator.host', short: 'H', value: 'HOST', help: 'address on which workers are heard (127.0.0.1)' },
  { name: 'coordinator.port', short: 'P', value: 'PORT', help: 'its port (50055)' },
  {
    name: 'coordinator.advertise',
    short: 'A',
    value: 'NAME',
    help: 'name or address by which workers on other machines reach it; default: the host name'
  },
  ...peer
]

/** Flags of a worker. */
export const working: Flag[] = [
  { name: 'worker.id', short: 'w', value: 'ID', help: 'name of the worker; default: host@pid' },
  { name: 'worker.labels', short: 'l', value: 'K=V,..', help: 'labels that a workerSelector may ask for' },
  { name: 'worker.max-active-runs', short: 'm', value: 'N', help: 'runs that it takes at a time (100)' },
  {
    name: 'worker.coordinators',
    value: 'HOST:PORT,..',
    help: 'where its coordinator is, or those of a cluster; default: the one of this home, else coordinator.host'
  },
  {
    name: 'timeout',
    value: 'SECONDS',
    help: 'when it drains: runs that it still has after this time are stopped; default: it waits for them'
  },
  { name: 'out', value: 'FILE', help: 'enroll: where its key is written, in a new file for you only; default: stdout' },
  { name: 'leave-running', help: 'a signal ends it at once: steps go on, and the next worker in this home has them' },
  ...peer
]

/** Flags of lists by time. @param what the things of the list were then */
const period = (what: 'created' | 'entered'): Flag[] => [
  { name: 'since', value: 'TIME', help: `${what} since: 24h, 7d, or 2026-03-01T18:00` },
  { name: 'until', value: 'TIME', help: `${what} before` }
]

/** Flags of a list of runs. */
export const runFilters: Flag[] = [
  { name: 'status', value: 'STATUS,..', help: 'any of these: failed, running, succeeded, canceled, queued, ...' },
  { name: 'waiting', value: 'WHAT,..', help: 'waiting for any of these: approval, signal, sleep' },
  ...period('created'),
  { name: 'id', value: 'PART', help: 'part of the id' },
  { name: 'params', value: 'PART', help: 'part of a param, written as NAME=value' },
  { name: 'tag', value: 'TAG,..', help: 'all of these tags' },
  { name: 'trigger', value: 'TYPE,..', help: 'any of these: schedule, api, cli, host, import' },
  { name: 'by', value: 'PART', help: 'part of the name of the user or token that asked for it' },
  { name: 'limit', value: 'N', help: 'at most this many, up to 1000 (20)' }
]

/** Flags of the audit log. */
export const auditFilters: Flag[] = [
  { name: 'principal', value: 'WHO', help: 'part of the caller, written as token:ci or owner:ann' },
  { name: 'operation', value: 'ID', help: 'such as startDag, replaceDagSpec, signIn' },
  { name: 'dag', value: 'NAME', help: 'file name of a definition, or DAG name' },
  { name: 'run', value: 'ID', help: 'id of a run' },
  { name: 'outcome', value: 'WORD', help: 'done, refused (anything else), or an error code such as forbidden' },
  ...period('entered'),
  { name: 'limit', value: 'N', help: 'at most this many, the newest (20)' },
  { name: 'follow', short: 'f', help: 'continue with entries as they are written, the oldest first' },
  { name: 'all', help: 'all of it as lines of JSON, the oldest first, as it is stored' },
  { name: 'expect', value: 'HASH,..', help: 'verify: entries with these hashes, noted elsewhere, must be there' }
]
