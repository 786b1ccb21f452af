/** docs/operating/alerts.yaml in Prometheus: each alert comes when what it is about has lasted, and not before, nor when all is well. */
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { parse, stringify } from 'yaml'
import { temporaryFolder } from '../../support/homes.ts'
import { PROJECT } from '../../support/project.ts'

const TEXT = readFileSync(join(PROJECT, 'docs/operating/alerts.yaml'), 'utf8')
const hasPromtool = spawnSync('promtool', ['--version']).status === 0

/** Values of series, a minute each, as promtool writes them: `1x60` is 1 and 60 times more, `0+5x60` grows by 5. */
type Series = Record<string, string>
interface Case {
  wrong: Series
  fine: Series
  /** Minutes until it has lasted long enough. */
  after: number
  /** Minutes after which it must not have come yet; default: a third of them. */
  notAt?: number
  /** Labels of the alert beside `alertname`, `severity`, `job` and `instance`, for each that comes. */
  labels?: Record<string, string>
  /** Those two are not in its result. */
  isOfAll?: true
}

const ended = (dag: string, failed: string, succeeded: string): Series => ({
  [`engine_dag_runs_ended_total{dag="${dag}",status="failed"}`]: failed,
  [`engine_dag_runs_ended_total{dag="${dag}",status="succeeded"}`]: succeeded
})
/** A histogram whose values are all in a bucket. */
const allWithin = (name: string, le: string, labels = ''): Series => ({
  [`${name}_bucket{${labels}le="0.001"}`]: le === '0.001' ? '0+10x120' : '0x120',
  [`${name}_bucket{${labels}le="1"}`]: '0+10x120',
  [`${name}_bucket{${labels}le="+Inf"}`]: '0+10x120'
})
const told = (failed: string, delivered: string): Series => ({
  'engine_notifications_total{target="ops",outcome="failed"}': failed,
  'engine_notifications_total{target="ops",outcome="delivered"}': delivered
})
const disk = (free: string): Series => ({ engine_disk_free_bytes: free, engine_disk_size_bytes: '1000x600' })
const single = (name: string, wrong: string, fine: string, after: number): Case => ({
  wrong: { [name]: wrong },
  fine: { [name]: fine },
  after
})

const CASES: Record<string, Case> = {
  TroupeDown: single('up', '0x60', '1x60', 3),
  TroupeMustBeRestarted: {
    ...single('engine_unready{reason="failed"}', '1x60', '0x60', 2),
    labels: { reason: 'failed' }
  },
  TroupeStorageFailing: {
    ...single('engine_unready{reason="storage"}', '1x60', '0x60', 2),
    labels: { reason: 'storage' }
  },
  TroupeNotReady: {
    ...single('engine_unready{reason="recovering"}', '1x60', '0x60', 6),
    labels: { reason: 'recovering' }
  },
  TroupeSchedulerNotTicking: single('engine_scheduler_running', '0x60', '1x60', 3),
  TroupeEventLoopLag: single('nodejs_eventloop_lag_p99_seconds', '0.8x60', '0.1x60', 11),
  TroupeTurnsSlow: {
    wrong: allWithin('engine_turn_duration_seconds', '1'),
    fine: allWithin('engine_turn_duration_seconds', '0.001'),
    after: 30,
    isOfAll: true
  },
  TroupeRequestsFailing: {
    wrong: {
      'engine_http_request_duration_seconds_count{method="GET",code="5xx"}': '0+1x60',
      'engine_http_request_duration_seconds_count{method="GET",code="2xx"}': '0+9x60'
    },
    fine: {
      'engine_http_request_duration_seconds_count{method="GET",code="5xx"}': '0+1x60',
      'engine_http_request_duration_seconds_count{method="GET",code="2xx"}': '0+99x60'
    },
    after: 25,
    isOfAll: true
  },
  TroupeFilesRunningOut: {
    wrong: { process_open_fds: '900x60', process_max_fds: '1000x60' },
    fine: { process_open_fds: '500x60', process_max_fds: '1000x60' },
    after: 11
  },
  TroupeDiskAlmostFull: { wrong: disk('50x60'), fine: disk('150x60'), after: 11 },
  TroupeDiskFullWithinADay: { wrong: disk('390-0.5x600'), fine: disk('390x600'), after: 400, notAt: 20 },
  TroupeStoreSlow: {
    wrong: allWithin('engine_store_write_duration_seconds', '1', 'file="store",'),
    fine: allWithin('engine_store_write_duration_seconds', '0.001', 'file="store",'),
    after: 30,
    labels: { file: 'store' },
    isOfAll: true
  },
  TroupeRunsFailing: {
    wrong: ended('etl', '0+1x120', '0+0x120'),
    fine: ended('etl', '0+1x120', '0+9x120'),
    after: 12,
    notAt: 2,
    labels: { dag: 'etl' },
    isOfAll: true
  },
  TroupeManyRunsFailing: {
    wrong: { ...ended('etl', '0+1x120', '0+0x120'), ...ended('other', '0+0x120', '0+2x120') },
    fine: { ...ended('etl', '0+1x120', '0+0x120'), ...ended('other', '0+0x120', '0+9x120') },
    after: 60,
    notAt: 10,
    isOfAll: true
  },
  TroupeQueueWaitsLong: {
    ...single('engine_queue_oldest_wait_seconds{queue="line"}', '0+60x60', '0x60', 25),
    labels: { queue: 'line' }
  },
  TroupeStartsFailing: { ...single('engine_launcher_failures_total', '0x10 1x60', '0x60', 14), notAt: 9 },
  TroupeStartsWaiting: {
    ...single(
      'engine_launcher_processes{state="waiting"}',
      '0x9 5x60',
      '0 5 0 5 0 5 0 5 0 5 0 5 0 5 0 5 0 5 0 5 0 5 0 5 0 5',
      25
    ),
    labels: { state: 'waiting' }
  },
  TroupeNotificationsFailing: {
    wrong: told('0+2x60', '0x60'),
    fine: told('0+2x60', '0+2x60'),
    after: 25,
    labels: { target: 'ops', outcome: 'failed' }
  },
  TroupeDeadLetters: {
    ...single('engine_notifications_total{target="ops",outcome="dead"}', '0x10 1x60', '0x60', 14),
    notAt: 9,
    labels: { target: 'ops', outcome: 'dead' }
  },
  TroupeWorkerLost: { ...single('engine_worker_lost_total', '0x10 1x60', '0x60', 14), notAt: 9 },
  TroupeWorkersSilent: {
    ...single('engine_workers{health="unhealthy"}', '1x60', '0x60', 6),
    labels: { health: 'unhealthy' }
  },
  TroupeNoWorkerForRuns: {
    ...single('engine_runs_waiting_for_worker{selector="gpu=true"}', '1x60', '0x60', 16),
    labels: { selector: 'gpu=true' }
  },
  TroupeBusDisconnected: single('engine_bus_connected', '0x60', '1x60', 3)
}

const ADDED = 'job="troupe",instance="a:8080"'
const withInstance = (name: string) => {
  const [, metric = '', labels = ''] = /^(\w+)(?:\{(.*)\})?$/.exec(name) ?? []
  return `${metric}{${labels === '' ? '' : `${labels},`}${ADDED}}`
}
const inputs = (series: Series) =>
  Object.entries(series).map(([name, values]) => ({ series: withInstance(name), values }))

interface Rule {
  alert: string
  labels: { severity: string }
}
const rules: Rule[] = parse(TEXT).groups.flatMap(({ rules }: { rules: Rule[] }) => rules)

/** What promtool says of rules. Empty: all is as expected. Their texts are left out, which it would want word for word. */
function faultsOf(text: string, tried = rules): string {
  const folder = temporaryFolder()
  const { groups } = parse(text)
  for (const { rules } of groups) for (const rule of rules) rule.annotations = {}
  writeFileSync(join(folder, 'alerts.yaml'), stringify({ groups }))
  const path = join(folder, 'alerts.test.yaml')
  const tests = tried.flatMap(({ alert, labels: { severity } }) => {
    const { wrong, fine, after, notAt = Math.floor((after - 1) / 3), labels = {}, isOfAll } = CASES[alert] as Case
    const found = { severity, instance: 'a:8080', ...(isOfAll ? {} : { job: 'troupe' }), ...labels }
    const at = (minutes: number, exp_alerts: object[]) => ({ eval_time: `${minutes}m`, alertname: alert, exp_alerts })
    return [
      {
        name: `${alert}, wrong`,
        interval: '1m',
        input_series: inputs(wrong),
        alert_rule_test: [at(notAt, []), at(after, [{ exp_labels: found }])]
      },
      { name: `${alert}, fine`, interval: '1m', input_series: inputs(fine), alert_rule_test: [at(after, [])] }
    ]
  })
  writeFileSync(path, stringify({ rule_files: ['alerts.yaml'], evaluation_interval: '1m', tests }))
  const { stdout, stderr, status } = spawnSync('promtool', ['test', 'rules', path], { encoding: 'utf8' })
  return status === 0 ? '' : stdout + stderr
}

describe('docs/operating/alerts.yaml in Prometheus', function () {
  this.timeout(60_000)
  before(function () {
    // apt-get install prometheus
    if (!hasPromtool) this.skip()
  })
  it('each alert has a case', () => {
    expect(Object.keys(CASES).sort()).to.deep.equal(rules.map(({ alert }) => alert).sort())
  })
  it('comes when it has lasted long enough, once, with the labels that its texts name; not before, and not when all is well', () => {
    expect(faultsOf(TEXT)).to.equal('')
  })
  it('an expression whose sides have no label in common is found', () => {
    const planted = TEXT.replaceAll(/ (?:ignoring|on) ?\([^)]*\)/g, '')
    expect(planted).not.to.equal(TEXT)
    const tried = rules.filter(({ alert }) => alert === 'TroupeNotificationsFailing')
    expect(faultsOf(planted, tried)).to.contain('TroupeNotificationsFailing, wrong')
  })
})
