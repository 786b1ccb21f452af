/** docs/executors/docker.md, gha.md and ssh.md: their definitions are run by a real Docker engine and on real ssh servers, and do what the page says. */
import { cpSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { definitionRuns } from '../../support/docs/definition-runs.ts'
import { runBlocks } from '../../support/docs/page-blocks.ts'
import { type PasswordServer, passwordServer } from '../../support/docs/password-ssh.ts'
import { textOf } from '../../support/engine/live.ts'
import { actionRepositories, withNode } from '../../support/executors/actions.ts'
import { ACTION_CALLS } from '../../support/executors/artifacts.ts'
import { dockerService, IMAGE, registryService } from '../../support/executors/docker.ts'
import { liveSshd } from '../../support/executors/sshd.ts'
import { temporaryFolder } from '../../support/homes.ts'

const PYTHON = 'python:3.12-slim'
const RUNNER = 'node:24-bookworm'
const DATABASE = 'troupe-docs-db'

// D1562: programs that cannot be had without a network have stand-ins
/** Programs of images that cannot be had without a network: as much of each as the definitions ask for. */
const PROGRAMS: Record<string, string> = {
  // Knows one statement.
  python: `if [ "$1" = -c ]; then text=$2; else text=$(cat "$1"); fi
echo "$text" | sed -n 's/^print("\\(.*\\)")$/\\1/p'`,
  pip: 'test "$1 $2" = "install -r" && sed "s/^/installed /" "$3" | tee /tmp/installed',
  pg_dump: 'echo "dump of $1"'
}
/** Commits a file to `owner/name`, as version 4, with its inputs. */
const action = (inputs: string[], main: string) => ({
  'action.yml': `inputs: {${inputs.map((name) => `${name}: {required: true}`).join(', ')}}\nruns: {using: node24, main: m.js}\n`,
  'm.js': `${ACTION_CALLS}const { mkdirSync, readFileSync, writeFileSync } = require('fs')\nconst { INPUT_NAME: name, INPUT_PATH: path } = process.env\n${main}`
})

describe('docs/executors › run on a Docker engine', function () {
  this.timeout(120_000)
  const service = dockerService()
  const registry = registryService()
  const repositories = actionRepositories()
  const login = { username: 'alice', password: 's3cret' }
  const runs = definitionRuns(() => ({
    DOCKER_HOST: service.address,
    STAGE: 'acceptance',
    GHCR_TOKEN: login.password,
    BASE64_OF_USER_AND_PASSWORD: Buffer.from(`${login.username}:${login.password}`).toString('base64'),
    // Repositories of GitHub are folders of the test.
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: `url.${repositories.instance}/.insteadOf`,
    GIT_CONFIG_VALUE_0: 'https://github.com/'
  }))
  const tagged: string[] = []
  const tag = async (name: string, source = IMAGE) => {
    const at = name.lastIndexOf(':')
    await service.client.getImage(source).tag({ repo: name.slice(0, at), tag: name.slice(at + 1) })
    tagged.push(name)
  }

  before(async () => {
    const made = Object.entries(PROGRAMS).map(
      ([name, text]) => `cat >/bin/${name} <<'END'\n#!/bin/sh\n${text}\nEND\nchmod 755 /bin/${name}`
    )
    const container = await service.client.createContainer({ Image: IMAGE, Cmd: ['sh', '-ec', made.join('\n')] })
    await container.start()
    await container.wait()
    const [repo, version] = PYTHON.split(':')
    await container.commit({ repo, tag: version, changes: 'CMD ["sh"]' })
    tagged.push(PYTHON)
    await container.remove()
    await tag(RUNNER)
    // One that a test has left when it was killed.
    await service.client
      .getContainer(DATABASE)
      .remove({ force: true })
      .catch(() => {})
    const database = await service.client.createContainer({ name: DATABASE, Image: PYTHON, Cmd: ['sleep', '600'] })
    await database.start()
  })
  after(async () => {
    if (tagged.length === 0) return // skipped
    const gone = () => {} // it was never made
    await service.client.getContainer(DATABASE).remove({ force: true }).catch(gone)
    for (const name of tagged) await service.client.getImage(name).remove({ force: true }).catch(gone)
  })

  runBlocks({
    'docs/executors/docker.md': {
      yaml: [
        [
          'the script prints from a container of its own, which is gone then',
          async (block) => {
            const ended = await runs.succeeds(block, { files: { 'data/a': '' } })
            expect(ended.out('report')).to.equal('hello\n')
            expect(await service.labelled(`troupe.run=${ended.key.name}/${ended.key.dagRunId}`)).to.deep.equal([])
          }
        ],
        [
          'a container of its own with a volume, and a command in one that runs',
          async (block) => {
            const ended = await runs.succeeds(block, {
              files: { 'data/report.py': 'print("all is well")\n' },
              replaced: [['container: db', `container: ${DATABASE}`]]
            })
            expect(ended.out('report')).to.equal('all is well\n')
            expect(ended.out('container_2')).to.equal('dump of shop\n')
          }
        ],
        [
          'all steps in one container, but for that of this machine',
          async (block) => {
            const files = { 'requirements.txt': 'flask\n', 'main.py': 'print("served")\n' }
            const ended = await runs.succeeds(block, { files })
            expect(['container_1', 'container_2', 'local'].map(ended.out)).to.deep.equal([
              'installed flask\n',
              'served\n',
              'on this machine\n'
            ])
          }
        ],
        [
          'images are pulled with the credentials of their registry, in either form',
          async (block) => {
            const here = registry.address
            const other = here.replace('127.0.0.1', 'localhost')
            const image = `${here}/docs/box:1`
            await tag(image)
            const pushed = await service.client.getImage(image).push({ authconfig: { ...login, serveraddress: here } })
            await new Promise((resolve, reject) =>
              service.client.modem.followProgress(pushed, (error) => (error ? reject(error) : resolve(undefined)))
            )
            await service.client.getImage(image).remove({ force: true })
            const step = (name: string, host: string) =>
              `  - name: ${name}\n    container: {image: "${host}/docs/box:1", pullPolicy: always}\n    command: echo ${name}\n`
            tagged.push(`${other}/docs/box:1`)
            const ended = await runs.succeeds(`${block}steps:\n${step('one', 'ghcr.io')}${step('two', other)}`, {
              replaced: [
                ['ghcr.io', here],
                ['registry.example.com:5000', other],
                ['bot', login.username]
              ]
            })
            expect([ended.out('one'), ended.out('two')]).to.deep.equal(['one\n', 'two\n'])
          }
        ]
      ]
    },
    'docs/executors/gha.md': {
      yaml: [
        [
          'the action gets the param, and the next step reads its output',
          async (block) => {
            const greet = `inputs: {who: {required: true}}
outputs: {said: {value: "hello \${{ inputs.who }}"}}
runs: {using: composite, steps: [{shell: sh, run: "echo greeting"}]}
`
            repositories.commit('acme/greet', { 'action.yml': greet }, 'v1')
            const ended = await runs.succeeds(block)
            expect(ended.out('cmd_2')).to.equal('hello the world\n')
          }
        ],
        [
          'what one step keeps, the next one takes',
          async (block) => {
            // D1562: programs that cannot be had without a network have stand-ins
            // In the place of GitHub's actions, which need a network: they speak to the same service.
            repositories.commit(
              'actions/upload-artifact',
              action(['name', 'path'], "store(name, readFileSync(path + '/summary.txt', 'utf8'))"),
              'v4'
            )
            repositories.commit(
              'actions/download-artifact',
              action(
                ['name', 'path'],
                `call('GetSignedArtifactURL', { name }).then(async ({ signedUrl }) => {
  mkdirSync(path)
  writeFileSync(path + '/summary.txt', await (await fetch(signedUrl)).text())
})`
              ),
              'v4'
            )
            const kept = temporaryFolder()
            const ended = await runs.succeeds(block, {
              files: { 'report/summary.txt': 'all is well' },
              replaced: [['{path: /var/lib/troupe/artifacts}', `{path: ${kept}}, containerOptions: "${withNode()}"`]]
            })
            expect(textOf(join(ended.folder, 'elsewhere/summary.txt'))).to.equal('all is well')
            expect(readdirSync(join(kept, ended.key.dagRunId, 'report'))).to.deep.equal(['report.zip'])
          }
        ]
      ]
    }
  })
})

describe('docs/executors › run over ssh', () => {
  const sshd = liveSshd()
  const home = temporaryFolder()
  let ops: PasswordServer
  before(async () => {
    const bin = join(home, 'bin')
    for (const folder of [bin, join(home, '.ssh')]) mkdirSync(folder)
    // No machine is run by this test: it would say the same.
    const systemctl = '#!/bin/sh\ntest "$2" = app || exit 1\ncase $1 in restart) : ;; is-active) echo active ;; esac\n'
    writeFileSync(join(bin, 'systemctl'), systemctl, { mode: 0o755 })
    ops = await passwordServer('ops', 'open sesame', { PATH: `${bin}:${process.env.PATH}` })
    cpSync(sshd.target.key, join(home, '.ssh/id_ed25519'))
    writeFileSync(join(home, '.ssh/known_hosts'), textOf(sshd.target.knownHostFile) + ops.known)
  })
  after(() => ops?.close())
  const runs = definitionRuns(() => ({ HOME: home, OPS_PASSWORD: 'open sesame' }))

  runBlocks({
    'docs/executors/ssh.md': {
      yaml: [
        [
          'one step by the key, one by the password, one on this machine',
          async (block) => {
            const { user, host, port } = sshd.target
            const ended = await runs.succeeds(block, {
              replaced: [
                ['user: deploy', `user: ${user}`],
                ['host: build.example.org', `host: ${host}\n  port: "${port}"`],
                ['HOST=app.example.org', 'HOST=127.0.0.1'],
                ['"2222"', `"${ops.port}"`]
              ]
            })
            expect(ended.out('disk')).to.match(/ \d+% \//)
            expect(ended.out('restart')).to.equal('active\n')
            expect(ended.out('note')).to.equal(ended.out('disk'))
          }
        ]
      ]
    }
  })
})
