/** Definitions of the README, definition-format.md, notifications.md, secrets.md, testing.md and tracing.md are run, and do what the page says. */
import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect } from 'chai'
import { program } from '../../support/cli/program.ts'
import { definitionRuns } from '../../support/docs/definition-runs.ts'
import { blocksOf, placed, runBlocks } from '../../support/docs/page-blocks.ts'
import { textOf } from '../../support/engine/live.ts'
import { mailServer } from '../../support/executors/mail-server.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { httpCollector, named, spansOf } from '../../support/inspect/collector.ts'

/** Notes its name and arguments in `said`, beside the definition. */
const noting = (name: string, more = '') => `#!/bin/sh\necho ${name} "$@" >>"$(dirname "$0")/said"\n${more}\n`

describe('docs › definitions, run', function () {
  this.timeout(120_000)
  const runs = definitionRuns(() => ({
    MAIL_PASSWORD: 'open sesame',
    ON_CALL: 'ann@example.com',
    PROD_API_TOKEN: 'tulip-4711',
    COLLECTOR_TOKEN: 'collected',
    STAGE: 'acceptance'
  }))
  const install = (name: string, script: string) =>
    writeFileSync(join(runs.bin, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 })

  let played: Promise<{ code: number | null; out: string }> | undefined
  /** All test files of docs/testing.md, each beside the workflow that it is about, by one `troupe test`. */
  function testsOfPage() {
    const folder = temporaryFolder()
    const [etl = '', first = '', second = '', nightly = '', third = ''] = blocksOf('docs/testing.md', 'yaml')
    for (const [at, [workflow, text, test]] of [
      ['etl', etl, first] as const,
      ['etl', etl, second] as const,
      ['nightly', nightly, third] as const
    ].entries()) {
      const own = join(folder, String(at))
      mkdirSync(own)
      writeFileSync(join(own, `${workflow}.yaml`), text)
      writeFileSync(join(own, `${workflow}.test.yaml`), test)
    }
    const { code, written } = program(folder, { ENGINE_HOME: join(folder, 'home') }, 'test')
    return code.then((ended) => ({ code: ended, out: written.out + written.err }))
  }
  const passes =
    (...names: string[]) =>
    async () => {
      played ??= testsOfPage()
      const { code, out } = await played
      expect(code, out).to.equal(0)
      for (const name of names) expect(out).to.contain(name)
    }

  runBlocks({
    'README.md': {
      yaml: [
        [
          'greets whom the start names, and its handler says how it ended',
          async (block) => {
            const ended = await runs.succeeds(block, { name: 'hello', params: 'NAME=you' })
            expect([ended.run.name, ended.out('greet')]).to.deep.equal(['hello', 'Hello, you\n'])
            expect(ended.out('onExit')).to.equal('it ended as succeeded\n')
            expect((await runs.succeeds(block)).out('greet')).to.equal('Hello, world\n')
          }
        ]
      ]
    },
    'docs/definition-format.md': {
      yaml: [
        [
          'fetches and loads the day, then reports and archives; where it fails, somebody hears of it',
          async (block) => {
            const names = ['fetch', 'load', 'report', 'archive', 'alert']
            const files = Object.fromEntries(names.map((name) => [`${name}.sh`, noting(name)]))
            const good = await runs.succeeds(block, { files })
            const [fetched = '', loaded = '', ...rest] = textOf(join(good.folder, 'said')).trim().split('\n')
            expect(fetched).to.match(/^fetch \d{4}-\d\d-\d\d$/)
            expect(loaded).to.equal(fetched.replace('fetch', 'load'))
            expect(rest.sort()).to.deep.equal(['archive', 'report'])
            const bad = await runs.run(block, { files: { ...files, 'fetch.sh': noting('fetch', 'exit 3') } })
            expect(bad.status).to.equal('failed')
            expect(textOf(join(bad.folder, 'said'))).to.match(/^fetch \S+\nalert failed\n$/)
          }
        ],
        [
          'a script of another interpreter reads the variable from its environment',
          async (block) => {
            const ended = await runs.succeeds(block, { params: `NAME="it's you"` })
            expect(ended.out('script_1')).to.equal("Hello, it's you\n")
          }
        ]
      ]
    },
    'docs/notifications.md': {
      yaml: [
        [
          'a step that fails, and its run, are told to those on call, with the logs; success to the others',
          async (block) => {
            const server = await mailServer({
              hideSTARTTLS: true,
              onAuth({ username, password }, _, done) {
                if (username === 'robot' && password === 'open sesame') done(null, { user: username })
                else done(new Error('wrong name or password'))
              }
            })
            const replaced = [
              ['mail.example.com', '127.0.0.1'],
              ['"587"', `"${server.port}"`]
            ] as const
            const told = () => server.arrived.map(({ to, subject, user }) => [subject, to.join(' '), user])
            try {
              const failing = '#!/bin/sh\necho half of it\nexit 3\n'
              await runs.run(block, { name: 'sales', files: { 'load.sh': failing }, replaced })
              const onCall = 'ops@example.com ann@example.com'
              // The end of the run waits for no mail about a step.
              expect(told()).to.have.deep.members([
                ['[Error] sales (running)', onCall, 'robot'],
                ['[Error] sales (failed)', onCall, 'robot']
              ])
              const last = server.arrived.find(({ subject }) => subject.endsWith('(failed)'))
              expect(last?.attachments.map(({ text }) => text)).to.deep.equal(['half of it\n'])
              server.arrived.length = 0
              await runs.succeeds(block, { name: 'sales', files: { 'load.sh': '#!/bin/sh\n' }, replaced })
              expect(told()).to.deep.equal([['sales (succeeded)', 'reports@example.com', 'robot']])
            } finally {
              await server.close()
            }
          }
        ]
      ]
    },
    'docs/secrets.md': {
      yaml: [
        [
          'the request has the token, the step the content of the file, and no log the value',
          async (block) => {
            const tokens: (string | undefined)[] = []
            const server = createServer(({ headers }, response) => {
              tokens.push(headers.authorization)
              response.end(`you are ${headers.authorization}\n`)
            })
            await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
            const { port } = server.address() as AddressInfo // it listens on a port
            try {
              const ended = await runs.succeeds(`${block}  - test "$SIGNING_KEY" = "a key of some length"\n`, {
                files: { 'keys/signing.pem': 'a key of some length\n' },
                replaced: [['https://api.example.com', `http://127.0.0.1:${port}`]]
              })
              expect(tokens).to.deep.equal(['Bearer tulip-4711'])
              expect(ended.out('call')).to.equal('you are Bearer *******\n')
            } finally {
              server.close()
            }
          }
        ],
        [
          'asks Vault once for all runs, SOPS for each, and the step has both values',
          async (block) => {
            // Neither is on every machine: each says what it would, if its arguments are those of the page.
            const asked = join(runs.bin, 'asked')
            install(
              'vault',
              `echo vault >>'${asked}'; test "$*" = "kv get -field=token secret/deploy" && echo tulip-4711`
            )
            install(
              'sops',
              `echo sops >>'${asked}'; test "$3$4" = '["db"]["password"]secrets.enc.yaml' && echo rose-4712`
            )
            const deploy =
              '#!/bin/sh\ntest "$DEPLOY_TOKEN$DB_PASSWORD" = tulip-4711rose-4712 && echo "with $DB_PASSWORD"\n'
            const path = runs.write(block, { files: { deploy } })
            for (const _ of [1, 2]) {
              const ended = await runs.ended(await runs.start(path))
              expect([ended.status, ended.out('deploy')], ended.run.error).to.deep.equal([
                'succeeded',
                'with *******\n'
              ])
            }
            expect(textOf(asked).trim().split('\n').sort()).to.deep.equal(['sops', 'sops', 'vault'])
          }
        ]
      ]
    },
    'docs/testing.md': {
      yaml: [
        [
          'the workflow that is tested: what it extracts it loads, and a failure is told',
          async (block) => {
            install('extract', 'test "$1 $2" = "--day today" && echo 12')
            install('load', 'test "$1 $2" = "--rows 12"')
            install('page-someone', 'echo paged')
            await runs.succeeds(block)
            install('load', 'exit 1')
            const bad = await runs.run(block)
            expect([bad.status, bad.out('onFailure')]).to.deep.equal(['failed', 'paged\n'])
          }
        ],
        [
          '`troupe test` plays it',
          passes(
            'loads what was extracted',
            'an extraction that fails twice is repeated',
            'a load of more than ten minutes is too long'
          )
        ],
        ['`troupe test` plays a crash', passes('a crash while it loads')],
        [
          'the workflow with a schedule deletes what is old',
          async (block) => {
            const cache = temporaryFolder()
            for (const name of ['old', 'new']) writeFileSync(join(cache, name), name)
            utimesSync(join(cache, 'old'), 0, 0)
            await runs.succeeds(block, { name: 'nightly', replaced: [['/srv/cache', cache]] })
            expect(readdirSync(cache)).to.deep.equal(['new'])
          }
        ],
        ['`troupe test` plays a night', passes('one run in the night in which clocks change')]
      ]
    },
    'docs/tracing.md': {
      yaml: [
        [
          'run and step are spans at the collector, with its headers and resource',
          async (block) => {
            const collector = await httpCollector()
            try {
              const spec = placed(block, [['http://collector.example.com:4318', collector.endpoint]])
              const key = await runs.engine.start({
                name: 'etl',
                spec: `${spec}steps:\n  - {name: load, command: echo}\n`
              })
              expect((await runs.ended(key)).status).to.equal('succeeded')
              const spans = await spansOf(collector, 2)
              const run = named(spans, 'DAG: etl')
              expect(named(spans, 'Step: load').parentSpanId).to.equal(run.spanId)
              expect(run.resource).to.include({ 'service.name': 'nightly', 'deployment.environment': 'acceptance' })
              const [{ path, headers } = { path: '', headers: {} }] = collector.requests
              expect([path, headers.authorization]).to.deep.equal(['/v1/traces', 'Bearer collected'])
            } finally {
              await collector.close()
            }
          }
        ]
      ]
    }
  })
})
