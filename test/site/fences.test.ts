/**
 * Every block of code in the pages is looked at by a test: run as a whole where the table below says so; else commands are read by the
 * programs that they call, YAML and JSON by their readers, and TypeScript and JavaScript by the compiler, against the types of the package.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { isMap, parseAllDocuments } from 'yaml'
import { allFences, type Fence, fencesIn } from '../support/docs/fences.ts'
import { shellProblems } from '../support/docs/shell-lines.ts'
import { typeProblems } from '../support/docs/type-check.ts'
import { PROJECT } from '../support/project.ts'

/** Pages whose commands, or programs, are run one after another, and by which test, or tests. */
const RUN: Record<string, Partial<Record<string, string | string[]>>> = {
  'README.md': { js: 'docs/readme', sh: ['docs/readme', 'e2e/operating/container'], yaml: 'docs/readme' },
  'docs/tutorial.md': { sh: 'docs/tutorial' },
  'docs/http-api.md': { sh: 'docs/http-api' },
  'docs/embedding/functions.md': { ts: 'docs/embedding' },
  'docs/embedding/testing.md': { js: 'docs/testing' },
  'docs/embedding/waits.md': { js: 'docs/waits' },
  'docs/notifications.md': { js: 'docs/notifications' },
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
  'docs/secrets.md': { ts: 'docs/embedding' },
  'docs/workers.md': { sh: ['docs/workers', 'e2e/workers/compose'], ts: 'docs/workers', yaml: 'docs/workers' }
}
/** Without a language: files of others, and drawings. Which test holds them against the program. */
const SHOWN: Record<string, string> = {
  'machines/README.md': 'machines/state-tables'
}
/** Languages of what is put into files of other programs, each with what a line of it looks like. */
const LINES: Record<string, RegExp> = {
  nginx: /^\s*(?:#.*|\w+ .*[;{]|\}|)$/,
  ini: /^\s*(?:[#;].*|\[[\w -]+\]|[\w.-]+ ?=.*|)$/,
  crontab: /^\s*(?:#.*|\w+=.*|(?:\S+ ){5}\S.*|@\w+ \S.*|)$/,
  dockerfile: /^\s*(?:#.*|[A-Z]+ .*|)$/
}

const fences = allFences()
const nameOf = ({ page, line, language }: Fence) => `${page}, line ${line}: ${language || 'no language'}`

/** A program of fixtures/hosts has these lines, and test/e2e/host runs it. */
const hostFile = ({ rest }: Fence) =>
  ['', '/main.js']
    .map((end) => join(PROJECT, 'fixtures/hosts', `${rest}${end}`))
    .find((path) => /\.js$/.test(path) && existsSync(path))

async function problemsOf(fence: Fence): Promise<string[]> {
  const { page, language, rest, text } = fence
  if (RUN[page]?.[language] !== undefined) return []
  if (language === 'sh') return shellProblems(text)
  if (language === 'yaml' || language === 'yml')
    return parseAllDocuments(text).flatMap(({ errors }) => errors.map(({ message }) => message))
  if (language === 'json') return jsonProblems(text)
  if (language === 'js' && rest !== '') {
    const path = hostFile(fence)
    if (path === undefined) return [`fixtures/hosts has no ${rest}`]
    const lines = new Set(readFileSync(path, 'utf8').split('\n'))
    return text.split('\n').filter((line) => !lines.has(line))
  }
  const line = LINES[language]
  if (line) return text.split('\n').filter((one) => !line.test(one))
  // What is printed is for people, and is not pasted.
  if (language === 'text') return []
  if (language === '')
    return page in SHOWN || isMapping(text)
      ? []
      : ['nobody says what it is: give it a language, or the page a line in SHOWN']
  return [`nobody checks ${language}: give it a line in LINES`]
}

/** A file of settings, or JSON. */
const isMapping = (text: string) =>
  parseAllDocuments(text).every(({ errors, contents }) => errors.length === 0 && isMap(contents))

function jsonProblems(text: string): string[] {
  try {
    JSON.parse(text)
    return []
  } catch (error) {
    return [String(error)]
  }
}

const isTyped = ({ page, language, rest }: Fence) =>
  (language === 'ts' || language === 'js') && rest === '' && RUN[page]?.[language] === undefined

// D1534
describe('every block of code in the documentation', function () {
  this.timeout(120_000)
  it('is found', () => {
    expect(fences.length).to.be.greaterThan(140)
    expect(fences.map(nameOf)).to.include(nameOf(fences.find(({ page }) => page === 'docs/workers.md') as Fence))
  })
  for (const fence of fences.filter((one) => !isTyped(one)))
    it(`${nameOf(fence)} is one that a test has looked at`, async () => {
      expect(await problemsOf(fence)).to.deep.equal([])
    })
  it('programs and parts of programs fit the types of the package', () => {
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
      ['sh', 'troupe statr etl', 'troupe has no command statr'],
      ['sh', 'troupe start etl --nowhere 3', 'start: '],
      ['sh', 'cd /tmp && troupe explode', 'troupe has no command explode'],
      ['sh', 'curl -s $API/dag-rums', 'the API has no GET /dag-rums'],
      ['sh', 'curl -X PUT http://127.0.0.1:8080/api/v2/dags/etl', 'the API has no PUT /dags/etl'],
      ['sh', 'make hay', 'make has no hay'],
      ['sh', 'foo | troupe list', 'nobody knows the program foo'],
      ['sh', 'A=$(troupe list | sed "s/(.)/b/") sudo -u troupe foo', 'nobody knows the program foo'],
      ['sh', "echo 'open", 'sh: '],
      ['yaml', 'a: [1', ''],
      ['json', '{a: 1}', 'SyntaxError'],
      ['js nobody/main.js', '1', 'fixtures/hosts has no nobody/main.js'],
      ['nginx', 'proxy_pass nowhere', 'proxy_pass nowhere'],
      ['cobol', 'MOVE A TO B.', 'nobody checks cobol'],
      ['', 'what is it', 'nobody says what it is']
    ] as const)
      it(`${language || 'no language'}: ${text}`, async () => {
        const [first = 'nothing', ...others] = await planted(language, text)
        expect(first).to.contain(found).and.not.equal('nothing')
        expect(others.length).to.be.lessThan(2)
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
