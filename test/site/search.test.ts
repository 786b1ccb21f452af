/** What people search for is found: one of the pages that tell them how is among the first three results. Source: src/site/README.md. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { type Found, type Search, searchOf } from '../../src/site/browser/ranking.ts'
import { SYNONYMS } from '../../src/site/browser/synonyms.ts'
import { buildSite } from '../../src/site/build-site.ts'
import { temporaryFolder } from '../support/homes.ts'

/** A search, and the pages of which one must be there; those of the API are not meant by any. */
const SEARCHES: Record<string, readonly string[]> = {
  // Of the first look at the site.
  catchup: ['scheduling'],
  'exit code': ['cli', 'executors/ssh', 'testing', 'definition-format'],
  webhook: ['notifications'],
  'cron time zone': ['scheduling', 'configuration'],
  'retry a failed step': ['cli', 'page'],
  'limit how many runs at once': ['operating/limits'],
  'read-only key': ['authentication'],
  'api key read only': ['authentication'],
  'suspend a schedule': ['scheduling'],
  'how do I suspend a schedule': ['scheduling'],
  // Of beginners.
  'quick start': ['tutorial'],
  'getting started': ['tutorial'],
  'first five minutes': ['tutorial'],
  install: ['tutorial', 'embedding/installing'],
  'docker step': ['executors/docker'],
  'run a step in a container': ['executors/docker'],
  'run a step over ssh': ['executors/ssh'],
  'http request': ['executors/http'],
  secrets: ['secrets'],
  'pass a password to a step': ['secrets'],
  'vault secrets': ['secrets'],
  'env variables': ['definition-format'],
  'environment variables': ['definition-format'],
  parameters: ['definition-format'],
  parallel: ['definition-format', 'executors/dag'],
  'parallel steps': ['definition-format', 'executors/dag'],
  matrix: ['definition-format', 'executors/dag'],
  'sub workflow': ['executors/dag'],
  'call another workflow': ['executors/dag'],
  timeout: ['definition-format'],
  'step timeout': ['definition-format'],
  'retry policy': ['definition-format'],
  approval: ['executors/approval'],
  'human in the loop': ['executors/approval'],
  'wait for a webhook': ['executors/signal', 'notifications'],
  'test a workflow': ['testing'],
  // Of those who have runs.
  'email on failure': ['notifications', 'definition-format'],
  'mail on failure': ['notifications', 'definition-format'],
  slack: ['notifications'],
  'stop a run': ['cli', 'page'],
  'cancel a run': ['cli', 'page'],
  'kill a running workflow': ['cli', 'page'],
  'see why a step waits': ['inspect', 'cli'],
  'why is my run not starting': ['inspect', 'cli'],
  'debug a workflow': ['inspect', 'cli'],
  'view logs': ['cli', 'page'],
  'pause a schedule': ['scheduling'],
  'disable a schedule': ['scheduling'],
  'missed runs': ['scheduling'],
  'cron job': ['scheduling', 'operating/coming-from-cron'],
  timezone: ['scheduling', 'configuration'],
  'daylight saving time': ['scheduling'],
  'queue priority': ['operating/limits', 'definition-format'],
  concurrency: ['operating/limits'],
  'rerun from a step': ['page', 'cli'],
  // Of those who run a server.
  backup: ['cli', 'operating/upgrade'],
  'restore a backup': ['cli', 'operating/upgrade'],
  upgrade: ['operating/upgrade'],
  'rollback an upgrade': ['operating/upgrade'],
  workers: ['workers'],
  'run on another machine': ['workers', 'executors/ssh'],
  prometheus: ['operating/watching'],
  grafana: ['operating/watching'],
  monitoring: ['operating/watching'],
  alerts: ['operating/watching', 'notifications'],
  'health check': ['operating/watching', 'http-api'],
  systemd: ['operating/systemd'],
  'start on boot': ['operating/systemd'],
  'docker compose': ['operating/container'],
  kubernetes: ['operating/kubernetes'],
  k8s: ['operating/kubernetes'],
  nginx: ['authentication'],
  'reverse proxy': ['authentication'],
  https: ['authentication'],
  sso: ['authentication'],
  login: ['authentication'],
  rbac: ['authentication'],
  users: ['authentication'],
  'log retention': ['retention'],
  'delete old runs': ['retention'],
  'audit log': ['operating/audit'],
  opentelemetry: ['tracing'],
  'import from dagu': ['operating/coming-from-dagu'],
  'migrate from airflow': ['operating/coming-from-dagu', 'operating/coming-from-cron'],
  crontab: ['operating/coming-from-cron'],
  'change the port': ['configuration', 'cli'],
  // Of those who write programs.
  'embed in node': ['embedding/index'],
  library: ['embedding/index', 'embedding/installing'],
  'typescript client': ['client'],
  'javascript sdk': ['client'],
  'start a run over http': ['http-api'],
  curl: ['http-api'],
  'rest api': ['http-api'],
  'custom executor': ['executors/custom'],
  express: ['embedding/mounting'],
  'web ui': ['page'],
  // Of what the pages have, too.
  'skip a step': ['definition-format'],
  'conditional step': ['definition-format'],
  'run every 5 minutes': ['scheduling'],
  'pass output to next step': ['definition-format'],
  'default parameters': ['definition-format'],
  'continue on error': ['definition-format'],
  'ignore failure': ['definition-format'],
  'handler on exit': ['definition-format'],
  'github actions': ['executors/gha'],
  'multiple servers': ['remote-nodes'],
  'crash recovery': ['reliability', 'embedding/functions'],
  'memory limit': ['operating/limits'],
  'rate limit': ['operating/limits'],
  'run as another user': ['operating/limits'],
  'keyboard shortcuts': ['page'],
  'version history': ['cli', 'http-api', 'page'],
  'compare runs': ['cli', 'http-api', 'page'],
  'who stopped my run': ['operating/audit'],
  'server sent events': ['http-api', 'client', 'inspect'],
  'webhook signature': ['notifications'],
  'dead letters': ['notifications'],
  'delete a workflow': ['http-api', 'page'],
  'rename a workflow': ['http-api', 'page'],
  'validate yaml': ['cli'],
  lint: ['cli'],
  'dry run': ['cli'],
  'google login': ['authentication'],
  oidc: ['authentication'],
  'unit test': ['testing', 'embedding/testing'],
  'mock a step': ['testing', 'embedding/testing'],
  queue: ['operating/limits', 'definition-format'],
  'secret in log': ['secrets'],
  'error codes': ['errors'],
  'log level': ['operating/watching'],
  'run python': ['executors/docker', 'executors/shell'],
  'loop over a list': ['definition-format', 'executors/dag'],
  foreach: ['definition-format', 'executors/dag'],
  'access token': ['authentication'],
  autostart: ['operating/systemd'],
  'microsoft teams': ['notifications'],
  'my first pipeline': ['tutorial'],
  'only one job at the same time': ['operating/limits'],
  cleanup: ['retention'],
  'remote execution': ['workers', 'executors/ssh'],
  rollback: ['operating/upgrade'],
  dashboard: ['operating/watching'],
  'conditional run': ['definition-format'],
  // Names.
  skipIfSuccessful: ['definition-format'],
  'max active runs': ['definition-format', 'operating/limits'],
  'troupe at': ['cli'],
  max_run_reached: ['errors'],
  ENGINE_TZ: ['configuration']
}
const SHOWN = 3

describe('site › what people search for is among the first three results', function () {
  this.timeout(60_000)
  let search: Search
  before(async () => {
    const folder = temporaryFolder()
    await buildSite(folder)
    search = searchOf(readFileSync(join(folder, 'search.json'), 'utf8'))
  })
  const isFound = (found: readonly Found[], pages: readonly string[]) =>
    found.slice(0, SHOWN).some(({ id }) => pages.includes(id.split('.html', 1)[0] ?? ''))

  it('what they type, and the pages that tell them how', () => {
    const missed = Object.entries(SEARCHES).flatMap(([text, pages]) => {
      const found = search(text, 5)
      return isFound(found, pages) ? [] : `${text}: wanted ${pages}, found ${found.map(({ id }) => id).join(', ')}`
    })
    expect(missed).to.deep.equal([])
  })

  it('no synonym is there in vain: without it one of the searches would miss its page', () => {
    const needless = Object.keys(SYNONYMS).filter((typed) => {
      const { [typed]: _without, ...others } = SYNONYMS
      return Object.entries(SEARCHES)
        .filter(([text]) => text.includes(typed))
        .every(([text, pages]) => isFound(search(text, SHOWN, others), pages))
    })
    expect(needless).to.deep.equal([])
  })

  it('decisions and the changelog come last, and are found when nothing else has the word', () => {
    for (const text of ['webhook', 'retry a failed step', 'read-only key'])
      expect(
        search(text, SHOWN).map(({ id }) => id),
        text
      ).not.to.match(/decisions\/|changelog/)
    expect(search('D1536', 1).map(({ id }) => id)).to.match(/decisions\/documentation\.html#d1536-/)
  })

  it('beginnings and other forms of a word find it, and so does one that is mistyped', () => {
    for (const text of ['suspen', 'suspending', 'suspended', 'suspends', 'suspand', 'How do I SUSPEND?'])
      expect(
        search(text, SHOWN).map(({ title }) => title),
        text
      ).to.include('Suspend a schedule')
    expect(() => search('constructor', SHOWN)).not.to.throw()
    for (const text of ['how do I', '?']) expect(search(text, SHOWN), text).to.deep.equal([])
  })
})
