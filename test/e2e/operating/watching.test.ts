/** The page about watching, its alerts and its dashboard, against what a real server with workers exports. Decisions D1413, D1415. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { parse } from 'yaml'
import { needsNats } from '../../support/nats.ts'
import { type BusyServer, busyServer } from '../../support/operating/busy-server.ts'
import { type ExportedMetric, seriesOf } from '../../support/operating/exposition.ts'
import { type Query, queryOf } from '../../support/operating/promql.ts'
import { PROJECT } from '../../support/project.ts'
import { eventually } from '../../support/waiting.ts'

const textOf = (name: string) => readFileSync(join(PROJECT, 'docs/operating', name), 'utf8')
const page = textOf('watching.md')
/** By name: the rows of all tables of metrics. */
const documented = new Map(
  [...page.matchAll(/^\| `(\w+_\w+)` \| (gauge|counter|histogram) \|(.*?)\| (.+) \|$/gm)].map(
    ([, name = '', type = '', labels = '', help = '']) => {
      const named = [...labels.matchAll(/`(\w+)`/g)].map(([, label = '']) => label)
      return [name, { type, labels: new Set(named), help }] as const
    }
  )
)
/** What the page says of the values of labels. */
const values = new Set(
  [...page.matchAll(/^\| `\w+`.* \| (.+) \|$/gm)].flatMap(([, said = '']) =>
    [...said.matchAll(/`(\w+)`/g)].map(([, value = '']) => value)
  )
)
interface Rule {
  alert: string
  expr: string
  labels: Record<string, string>
  annotations: Record<string, string>
}
const rules: Rule[] = parse(textOf('alerts.yaml')).groups.flatMap(({ rules }: { rules: Rule[] }) => rules)
interface Target {
  expr: string
  legendFormat: string
}
interface Panel {
  id: number
  title: string
  type: string
  description: string
  gridPos: { x: number; y: number; w: number; h: number }
  targets?: Target[]
}
const dashboard: {
  panels: Panel[]
  templating: { list: { name: string; type: string; definition?: string }[] }
  annotations: { list: { expr: string }[] }
} = JSON.parse(textOf('dashboard.json'))
const targets = dashboard.panels.flatMap(({ title, targets = [] }) => targets.map((target) => ({ title, ...target })))
/** As Grafana sends it. */
const sent = (expr: string) => expr.replaceAll('$__rate_interval', '5m').replace(/\$(job|instance)\b/g, '.*')

/** Made by Prometheus, and the labels that it adds. */
const OF_PROMETHEUS = new Set(['up'])
const ADDED = ['job', 'instance']

describe('docs/operating › against a real server', function () {
  this.timeout(120_000)
  needsNats()
  let server: BusyServer
  let exported: Map<string, ExportedMetric>
  /** By each name that a query may select. */
  const series = new Map<string, ExportedMetric>()
  before(async () => {
    server = await busyServer()
    exported = await eventually('samples of everything', async () => {
      const found = await server.scrape()
      const silent = [...found].filter(([name, { samples }]) => name.startsWith('engine_') && samples.length === 0)
      const { samples = [] } = found.get('engine_launcher_processes') ?? {}
      const hasBegun = samples.some(({ labels, value }) => labels.state === 'running' && value > 0)
      return silent.length === 0 && hasBegun ? found : undefined
    })
    for (const [name, metric] of exported) for (const one of seriesOf(name, metric)) series.set(one, metric)
  })
  after(() => server?.close())

  it('watching.md has each metric of the server, with its type, labels and meaning, and no others', () => {
    expect([...documented.keys()].sort()).to.deep.equal([...exported.keys()].sort())
    for (const [name, { type, help, labels }] of exported) {
      const found = documented.get(name)
      expect([found?.type, found?.help], name).to.deep.equal([type, help])
      // What the runtime has under way differs from one moment to the next.
      if (name.startsWith('engine_')) expect([...(found?.labels ?? [])].sort(), name).to.deep.equal([...labels].sort())
      else expect([...(found?.labels ?? [])], name).to.include.members([...labels])
    }
  })

  it('what happened is counted once: a run that waited for a worker, steps by type and end, a retry, what waits', () => {
    const sampled = (name: string, wanted: Record<string, string> = {}) =>
      series
        .get(name)
        ?.samples.find(
          (one) => one.name === name && Object.entries(wanted).every(([label, value]) => one.labels[label] === value)
        )?.value
    expect(sampled('engine_worker_wait_seconds_count')).to.equal(1)
    expect(sampled('engine_step_duration_seconds_count', { type: 'shell', status: 'failed' })).to.equal(1)
    expect(sampled('engine_step_duration_seconds_count', { type: 'jq', status: 'succeeded' })).to.equal(1)
    expect(sampled('engine_step_retries_total', { type: 'shell' })).to.equal(1)
    expect(sampled('engine_dag_runs_ended_total', { dag: 'retried', status: 'failed' })).to.equal(1)
    expect(sampled('engine_dag_runs_ended_total', { dag: 'retried', status: 'succeeded' })).to.equal(0)
    expect(sampled('engine_queue_length', { queue: 'line' })).to.equal(1)
    expect(sampled('engine_queue_slots_busy', { queue: 'line' })).to.equal(1)
    expect(sampled('engine_queue_oldest_wait_seconds', { queue: 'line' })).to.be.within(0, 600)
    expect(sampled('engine_queue_wait_seconds_count', { dag: 'held' }), 'it still runs').to.equal(1)
    expect(sampled('engine_runs_waiting_for_worker', { selector: 'zone=b' })).to.equal(1)
    expect(sampled('engine_launcher_processes', { state: 'running' })).to.equal(1)
    expect(sampled('engine_store_size_bytes', { file: 'store' })).to.be.greaterThan(4_095)
    for (const name of ['turn', 'launcher_start', 'http_request'])
      expect(sampled(`engine_${name}_duration_seconds_count`), name).to.be.greaterThan(0)
  })

  /** What is wrong with a query. */
  function faultsOf(query: Query): string[] {
    const faults = [...query.problems]
    const labels = new Set(ADDED)
    for (const { metric } of query.selected) for (const label of series.get(metric)?.labels ?? []) labels.add(label)
    for (const { metric, matchers } of query.selected) {
      const known = series.get(metric)
      if (!known && !OF_PROMETHEUS.has(metric)) faults.push(`${metric} is not exported`)
      for (const { label, op, value } of matchers) {
        if (ADDED.includes(label)) continue
        if (!known?.labels.has(label)) faults.push(`${metric} has no label ${label}`)
        const fits = (one: string) => (op.endsWith('~') ? new RegExp(`^(?:${value})$`).test(one) : one === value)
        const seen = (known?.samples ?? []).map((one) => one.labels[label] ?? '')
        if (![...seen, ...values].some(fits)) faults.push(`${metric}: ${label} is never ${value}`)
      }
    }
    for (const label of [...query.grouped, ...query.ignored])
      if (label !== 'le' && !labels.has(label)) faults.push(`nothing has ${label}`)
    return faults
  }
  /** Labels of the result that a text names, and that it does not have. */
  function lacking({ selected, grouped }: Query, named: Iterable<string>): string[] {
    const kept = new Set(grouped.length > 0 ? grouped : ADDED)
    if (grouped.length === 0)
      for (const { metric } of selected) for (const label of series.get(metric)?.labels ?? []) kept.add(label)
    return [...named].filter((label) => !kept.has(label))
  }

  it('alerts.yaml: each expression is PromQL, and selects metrics, labels and values that there are', () => {
    expect(rules.length).to.be.greaterThan(15)
    for (const { alert, expr, annotations } of rules) {
      const query = queryOf(expr)
      expect(query.selected, alert).not.to.deep.equal([])
      expect(faultsOf(query), alert).to.deep.equal([])
      const named = [...JSON.stringify(annotations).matchAll(/\$labels\.(\w+)/g)].map(([, label = '']) => label)
      expect(lacking(query, named), alert).to.deep.equal([])
    }
  })

  it('dashboard.json: each panel, variable and annotation selects what there is', () => {
    expect(targets.length).to.be.greaterThan(30)
    for (const { title, expr, legendFormat } of targets) {
      const query = queryOf(sent(expr))
      expect(faultsOf(query), title).to.deep.equal([])
      expect(
        lacking(
          query,
          [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = '']) => label)
        ),
        title
      ).to.be.empty
    }
    for (const { expr } of dashboard.annotations.list) expect(faultsOf(queryOf(sent(expr)))).to.deep.equal([])
    for (const { definition } of dashboard.templating.list)
      if (definition) {
        const [, of = '', label = ''] = /^label_values\((.+), (\w+)\)$/.exec(definition) ?? []
        expect([faultsOf(queryOf(sent(of))), ADDED.includes(label)], definition).to.deep.equal([[], true])
      }
  })

  it('the check can fail: a metric, a label, a value and a query that there are not', () => {
    for (const [query, fault] of [
      ['engine_reddy == 0', 'engine_reddy is not exported'],
      ['engine_unready{cause="home"}', 'engine_unready has no label cause'],
      ['engine_unready{reason="hom"}', 'engine_unready: reason is never hom'],
      ['sum by (colour) (engine_ready)', 'nothing has colour'],
      ['engine_ready and ignoring (colour) engine_ready', 'nothing has colour']
    ] as const)
      expect(faultsOf(queryOf(query))).to.include(fault)
    expect(queryOf('a and ignoring (x) sum without (y) (b)')).to.deep.include({ grouped: [], ignored: ['x', 'y'] })
    expect(faultsOf(queryOf('sum by (engine_ready'))).not.to.deep.equal([])
  })

  it('the paths of its probes answer', async () => {
    const paths = [...page.matchAll(/path: (\/\S+health\S*), port/g)].map(([, path = '']) => path)
    expect(paths).to.have.length(2)
    for (const path of paths) expect((await fetch(server.address + path)).status, path).to.equal(200)
  })
})

describe('docs/operating › by itself', () => {
  it('each alert says how urgent it is, what is the matter and what to do: in a section of watching.md that there is', () => {
    const [, section = ''] = /^## Alerts\n(.*?)^## /ms.exec(page) ?? []
    const anchors = [...section.matchAll(/^### (\S+)$/gm)].map(([, title = '']) => title.toLowerCase())
    const used = new Set<string>()
    for (const { alert, labels, annotations } of rules) {
      expect(alert).to.match(/^Troupe[A-Z]/)
      expect(labels.severity, alert).to.be.oneOf(['critical', 'warning'])
      expect(annotations, alert).to.have.all.keys('summary', 'description', 'runbook')
      const [file, anchor = ''] = annotations.runbook?.split('#') ?? []
      expect([file, anchors.includes(anchor)], alert).to.deep.equal(['docs/operating/watching.md', true])
      used.add(anchor)
    }
    expect(new Set(rules.map(({ alert }) => alert)).size).to.equal(rules.length)
    expect([...used].sort(), 'no section is left over').to.deep.equal(anchors.sort())
  })

  it('the dashboard has panels with ids of their own that do not overlap', () => {
    const { panels } = dashboard
    expect(new Set(panels.map(({ id }) => id)).size).to.equal(panels.length)
    for (const [at, { title, description, type, gridPos: a }] of panels.entries()) {
      expect(a.x + a.w, title).to.be.at.most(24)
      if (type !== 'row') expect(description, title).to.be.a('string').and.not.equal('')
      for (const { title: other, gridPos: b } of panels.slice(at + 1)) {
        const apart = a.x + a.w <= b.x || b.x + b.w <= a.x || a.y + a.h <= b.y || b.y + b.h <= a.y
        expect(apart, `${title}, ${other}`).to.equal(true)
      }
    }
  })
})
