/** Every block of code in the pages is run by a test that takes it from the page: the table below says by which. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { allFences, type Fence, fencesIn } from '../support/docs/fences.ts'
import { typeProblems } from '../support/docs/type-check.ts'
import { PROJECT } from '../support/project.ts'

/** Pages whose commands, programs, definitions or settings are run, by language (empty: none), and by which test, or tests. */
const RUN: Record<string, Partial<Record<string, string | string[]>>> = {
  'README.md': { js: 'docs/readme', sh: ['docs/readme', 'e2e/operating/container'], yaml: 'docs/run/definitions' },
  'docs/authentication.md': { nginx: 'docs/run/nginx', sh: 'docs/authentication', yaml: 'docs/run/authentication' },
  'docs/cli.md': { sh: 'docs/run/cli-runs' },
  'docs/client.md': { js: 'docs/client' },
  'docs/configuration.md': { js: 'docs/run/programs', yaml: 'docs/run/settings' },
  'docs/definition-format.md': { yaml: 'docs/run/definitions' },
  'docs/embedding/README.md': { js: 'e2e/host/code-hosts', sh: 'e2e/host/code-hosts' },
  'docs/embedding/flow.md': { ts: 'docs/embedding' },
  'docs/embedding/functions.md': { ts: 'docs/embedding' },
  'docs/embedding/installing.md': { js: 'e2e/host/code-hosts', sh: 'e2e/host/code-hosts' },
  'docs/embedding/testing.md': { js: 'docs/testing' },
  'docs/embedding/waits.md': { js: 'docs/waits' },
  'docs/executors/approval.md': { sh: 'docs/run/one-server', yaml: 'docs/run/executors' },
  'docs/executors/archive.md': { yaml: 'docs/run/executors' },
  'docs/executors/custom.md': { ts: 'docs/run/code', yaml: 'docs/run/code' },
  'docs/executors/dag.md': { json: 'docs/run/executors', yaml: 'docs/run/executors' },
  'docs/executors/docker.md': { yaml: 'docs/run/elsewhere' },
  'docs/executors/function.md': { ts: 'docs/run/code', yaml: 'docs/run/code' },
  'docs/executors/gha.md': { yaml: 'docs/run/elsewhere' },
  'docs/executors/http.md': { yaml: 'docs/run/executors' },
  'docs/executors/jq.md': { yaml: 'docs/run/executors' },
  'docs/executors/mail.md': { yaml: 'docs/run/executors' },
  'docs/executors/shell.md': { yaml: 'docs/run/executors' },
  'docs/executors/signal.md': { sh: 'docs/run/one-server', yaml: 'docs/run/executors' },
  'docs/executors/sleep.md': { yaml: 'docs/run/executors' },
  'docs/executors/ssh.md': { yaml: 'docs/run/elsewhere' },
  'docs/http-api.md': { sh: 'docs/http-api' },
  'docs/inspect.md': { sh: 'docs/run/one-server', ts: 'docs/run/programs' },
  'docs/notifications.md': {
    '': 'docs/run/settings',
    js: 'docs/notifications',
    json: 'docs/run/settings',
    sh: 'docs/run/one-server',
    yaml: 'docs/run/definitions'
  },
  'docs/operating/audit.md': { sh: 'docs/run/watched', yaml: 'docs/run/watched' },
  'docs/operating/coming-from-cron.md': {
    crontab: 'docs/operating/coming-from',
    sh: 'docs/operating/coming-from',
    yaml: 'docs/operating/coming-from'
  },
  'docs/operating/coming-from-dagu.md': { sh: 'docs/operating/coming-from' },
  'docs/operating/container.md': { dockerfile: 'e2e/operating/container', sh: 'e2e/operating/container' },
  'docs/operating/kubernetes.md': { sh: 'docs/operating/kubernetes' },
  'docs/operating/limits.md': { ini: 'e2e/operating/systemd', json: 'docs/run/limits', yaml: 'docs/run/limits' },
  'docs/operating/systemd.md': { sh: 'e2e/operating/systemd' },
  'docs/operating/upgrade.md': { sh: 'e2e/operating/upgrade' },
  'docs/operating/watching.md': {
    json: 'docs/run/watched',
    sh: 'docs/run/watched',
    yaml: ['docs/operating/kubernetes', 'docs/run/watched']
  },
  'docs/reliability.md': { sh: 'docs/reliability' },
  'docs/remote-nodes.md': { json: 'docs/run/settings', sh: 'docs/remote-nodes', yaml: 'docs/run/settings' },
  'docs/scheduling.md': { sh: 'docs/run/one-server', yaml: 'docs/run/scheduling' },
  'docs/secrets.md': { ts: 'docs/embedding', yaml: 'docs/run/definitions' },
  'docs/testing.md': { sh: 'docs/testing', yaml: 'docs/run/definitions' },
  'docs/tracing.md': { yaml: 'docs/run/definitions' },
  'docs/tutorial.md': { sh: 'docs/tutorial', yaml: 'docs/tutorial' },
  'docs/workers.md': { sh: ['docs/workers', 'e2e/workers/compose'], ts: 'docs/workers', yaml: 'docs/workers' }
}
/** Without a language: files of others, and drawings. Which test holds them against the program. */
const SHOWN: Record<string, string> = {
  'machines/README.md': 'machines/state-tables'
}
const fences = allFences()
const nameOf = ({ page, line, language }: Fence) => `${page}, line ${line}: ${language || 'no language'}`

/** Texts of the tests that run programs of fixtures/hosts. */
const hostTests = readdirSync(join(PROJECT, 'test/e2e/host')).map((name) =>
  readFileSync(join(PROJECT, 'test/e2e/host', name), 'utf8')
)
/** A program of fixtures/hosts has these lines, and a test of test/e2e/host names its folder. */
const hostFile = ({ rest }: Fence) =>
  ['', '/main.js']
    .map((end) => join(PROJECT, 'fixtures/hosts', `${rest}${end}`))
    .find((path) => /\.js$/.test(path) && existsSync(path))

// D1560: definitions and settings of the pages are run, as they are shown
function problemsOf({ page, language, rest, text, ...fence }: Fence): string[] {
  if (language === 'js' && rest !== '') {
    const path = hostFile({ page, language, rest, text, ...fence })
    if (path === undefined) return [`fixtures/hosts has no ${rest}`]
    const [folder] = rest.split('/')
    if (!hostTests.some((test) => test.includes(`'${folder}'`) || test.includes(`'${folder}/`)))
      return [`no test of test/e2e/host runs ${folder}`]
    const lines = new Set(readFileSync(path, 'utf8').split('\n'))
    return text.split('\n').filter((line) => !lines.has(line))
  }
  // What is printed is for people, and is not pasted.
  const isFine = language === 'text' || (language === '' && page in SHOWN) || RUN[page]?.[language] !== undefined
  return isFine ? [] : ['nobody runs it: give its page a row in RUN']
}

const isTyped = ({ language }: Fence) => language === 'ts'

// D1534: every block of code in the pages is run by a test
describe('every block of code in the documentation', function () {
  this.timeout(120_000)
  it('is found', () => {
    expect(fences.length).to.be.greaterThan(140)
    expect(fences.map(nameOf)).to.include(nameOf(fences.find(({ page }) => page === 'docs/workers.md') as Fence))
  })
  for (const fence of fences)
    it(`${nameOf(fence)} is run`, () => {
      expect(problemsOf(fence)).to.deep.equal([])
    })
  it('programs in TypeScript fit the types of the package', () => {
    expect(typeProblems(fences.filter(isTyped))).to.deep.equal([])
  })
  it('the tests that are said to run them are there, and name the page', () => {
    for (const [page, tests] of Object.entries(RUN))
      for (const test of Object.values(tests).flat()) {
        const text = readFileSync(join(PROJECT, 'test', `${test}.test.ts`), 'utf8')
        expect(text, test).to.contain(
          page
            .replace(/^docs\//, '')
            .split('/')
            .at(-1)
            ?.replace(/\.md$/, '')
        )
      }
    for (const [page, test] of Object.entries(SHOWN)) {
      expect(existsSync(join(PROJECT, 'test', `${test}.test.ts`)), `${page}: ${test}`).to.equal(true)
      expect(
        fences.some((fence) => fence.page === page && fence.language === ''),
        page
      ).to.equal(true)
    }
  })
  describe('and the look can fail', () => {
    const planted = (language: string, text: string) =>
      problemsOf(fencesIn('docs/planted.md', `\`\`\`${language}\n${text}\n\`\`\`\n`)[0] as Fence)
    for (const [language, text, found] of [
      ['sh', 'troupe list', 'nobody runs it'],
      ['', 'what is it', 'nobody runs it'],
      ['js', 'await 1', 'nobody runs it'],
      ['js nobody/main.js', '1', 'fixtures/hosts has no nobody/main.js'],
      ['js mounted-table.js', '1', 'no test of test/e2e/host runs mounted-table.js']
    ] as const)
      it(`${language || 'no language'}: ${text}`, () => {
        expect(planted(language, text).join('\n')).to.contain(found)
      })
    it('a program with a name that the package has not', () => {
      const [fence] = fencesIn(
        'docs/planted.md',
        "```ts\nimport { createMotor } from 'troupe'\nawait createMotor()\n```\n"
      )
      expect(typeProblems([fence as Fence]).join('\n')).to.contain('createMotor')
    })
  })
})
