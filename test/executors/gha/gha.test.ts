/** How actions of each kind are run, composite, node and docker ones: what they are given, and what they give back. Source: execution-semantics 10.9. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Execution } from '../../../src/executors/executor.ts'
import { secretsOf } from '../../../src/masking/secrets.ts'
import { withNode, writeFiles } from '../../support/executors/actions.ts'
import { IMAGE } from '../../support/executors/docker.ts'
import { ghaSteps, outputOf } from '../../support/executors/gha-steps.ts'

describe('gha executor', () => {
  const { repositories, bench, executionOf } = ghaSteps()

  const nodeConfig = (more: Execution['config'] = {}) => ({ containerOptions: withNode(), ...more })

  describe('composite actions', () => {
    const greet = `
name: greet
inputs:
  who: {description: whom, default: world}
  how often: {default: "1"}
outputs:
  said: {description: what was said, value: "\${{ steps.say.outputs.said }}"}
  where: {value: "\${{ github.workspace }}"}
runs:
  using: composite
  steps:
    - id: say
      shell: sh
      env: {WHO: "\${{ inputs.who }}"}
      run: |
        echo "hello $WHO, $INPUT_HOW_OFTEN"
        echo "said=hello $WHO" >>"$GITHUB_OUTPUT"
        echo "LATER=from the step before" >>"$GITHUB_ENV"
        mkdir -p "$RUNNER_TEMP/bin"; echo 'echo tool' >"$RUNNER_TEMP/bin/tool"; chmod +x "$RUNNER_TEMP/bin/tool"
        echo "$RUNNER_TEMP/bin" >>"$GITHUB_PATH"
    - shell: sh
      run: 'echo "$LATER"; tool; cat "$GITHUB_EVENT_PATH" >&2; ls "$GITHUB_ACTION_PATH"'
`
    it('10.9.4: shell steps in order; inputs as INPUT_*; GITHUB_OUTPUT, GITHUB_ENV and GITHUB_PATH; outputs as a JSON object', async () => {
      repositories.commit('acme/greet', { 'action.yml': greet, 'file.txt': 'x' }, 'v1')
      const run = await bench.run(executionOf('acme/greet@v1', { inputs: { WHO: 'you', 'how often': '2' } }))
      expect(run.exitCode, run.err).to.equal(0)
      expect(run.out.slice(0, run.outputFrom)).to.equal(
        'hello you, 2\nfrom the step before\ntool\naction.yml\nfile.txt\n'
      )
      expect(outputOf(run)).to.deep.equal({ said: 'hello you', where: '/github/workspace' })
      expect(run.err, '10.9.3: messages have their time').to.match(
        /^\d{4}-\d\d-\d\dT[\d:.]+Z fetching acme\/greet@v1$/m
      )
      expect(run.err).to.include('"repository"')
    })
    it('10.9.1: a tag, a branch, a whole commit id, and a folder inside the repository', async () => {
      const action = (text: string) => `runs: {using: composite, steps: [{shell: sh, run: "echo ${text}"}]}`
      const first = repositories.commit('acme/many', { 'sub/dir/action.yaml': action('first') }, 'v1')
      repositories.commit('acme/many', { 'sub/dir/action.yaml': action('second') })
      for (const [ref, said] of [
        ['v1', 'first'],
        ['main', 'second'],
        [first, 'first']
      ])
        expect((await bench.run(executionOf(`acme/many/sub/dir@${ref}`))).out).to.equal(`${said}\n`)
    })
    it('10.9.3, 10.9.4: an action in the working directory, which is its workspace', async () => {
      writeFiles(bench.folder, {
        'actions/here/action.yml': `runs: {using: composite, steps: [
          {shell: sh, run: "pwd; cat $GITHUB_ACTION_PATH/data; echo made >made.txt"}]}`,
        'actions/here/data': 'data\n'
      })
      const run = await bench.run(executionOf('./actions/here'))
      expect(run.out, run.err).to.equal('/github/workspace\ndata\n')
      expect(readFileSync(join(bench.folder, 'made.txt'), 'utf8')).to.equal('made\n')
    })
    it('if, continue-on-error and working-directory; the first failure is the exit code, and outputs are kept', async () => {
      writeFiles(bench.folder, {
        'flow/action.yml': `
outputs: {a: {value: "\${{ steps.a.outputs.a }}"}}
runs:
  using: composite
  steps:
    - {shell: sh, run: exit 3, continue-on-error: true}
    - {id: a, shell: sh, working-directory: flow, run: 'pwd; echo a=1 >>$GITHUB_OUTPUT'}
    - {shell: sh, if: "inputs.x == 'y'", run: echo never}
    - {shell: sh, run: exit 4}
    - {shell: sh, run: echo not after a failure}
    - {shell: sh, if: failure(), run: echo told}
    - {shell: sh, if: always(), run: exit 5}
`
      })
      const run = await bench.run(executionOf('./flow'))
      expect(run.exitCode).to.equal(4)
      expect(run.out.slice(0, run.outputFrom)).to.equal('/github/workspace/flow\ntold\n')
      expect(outputOf(run)).to.deep.equal({ a: '1' })
    })
    it('10.9.3: the environment is that of the step without the base environment; secrets as action secrets, masked', async () => {
      writeFiles(bench.folder, {
        'secret/action.yml': `runs: {using: composite, steps: [
          {shell: sh, run: 'echo "\${{ secrets.TOKEN }} \${{ github.token }} $OWN \${SERVER-none}"; echo t=$TOKEN >>$GITHUB_OUTPUT'}]}`
      })
      const run = await bench.run(
        executionOf('./secret', {
          env: { SERVER: 'x', OWN: 'own' },
          remoteEnv: { OWN: 'own', TOKEN: 'hush-hush', GITHUB_TOKEN: 'also-hush' },
          masking: { secrets: secretsOf({ TOKEN: 'hush-hush', GITHUB_TOKEN: 'also-hush' }), marks: true }
        })
      )
      expect(run.out.split('\n')[0], run.err).to.equal('******* ******* own none')
    })
  })

  describe('node actions', () => {
    it('10.9.4: pre, main and post; inputs whose names no shell knows; state; outputs', async () => {
      repositories.commit(
        'acme/node',
        {
          'action.yml': `
name: node
inputs: {fetch-depth: {default: "1"}}
runs: {using: node20, pre: pre.js, main: lib/main.js, post: post.js}`,
          'pre.js': `console.log('pre')`,
          'lib/main.js': `
const { appendFileSync } = require('node:fs')
console.log('main', process.env['INPUT_FETCH-DEPTH'], process.env.GITHUB_WORKSPACE, process.env.GITHUB_EVENT_NAME)
appendFileSync(process.env.GITHUB_STATE, 'kept=it\\n')
appendFileSync(process.env.GITHUB_OUTPUT, 'text<<END\\none\\ntwo\\nEND\\n')`,
          'post.js': `console.log('post', process.env.STATE_kept)`
        },
        'v2'
      )
      const run = await bench.run(executionOf('acme/node@v2', { inputs: { 'fetch-depth': '7' }, config: nodeConfig() }))
      expect(run.exitCode, run.err).to.equal(0)
      expect(run.out.slice(0, run.outputFrom)).to.equal('pre\nmain 7 /github/workspace push\npost it\n')
      expect(outputOf(run)).to.deep.equal({ text: 'one\ntwo' })
    })
    it('post runs after a failure too, and the exit code is that of main', async () => {
      writeFiles(bench.folder, {
        'n/action.yml': 'runs: {using: node24, main: m.js, post: p.js}',
        'n/m.js': `console.error('it broke'); process.exit(9)`,
        'n/p.js': `console.log('post')`
      })
      const run = await bench.run(executionOf('./n', { config: nodeConfig() }))
      expect(run).to.include({ exitCode: 9, out: 'post\n' })
      expect(run.err).to.include('it broke\n')
    })
  })

  describe('docker actions', () => {
    const files = (mark: string) => ({
      'action.yml': `
inputs: {who: {default: nobody}}
runs:
  using: docker
  image: Dockerfile
  env: {EXTRA: "\${{ inputs.who }}!"}
  args: ["--to", "\${{ inputs.who }}"]`,
      Dockerfile: `FROM ${IMAGE}\nCOPY entry.sh /entry.sh\nENTRYPOINT ["sh", "/entry.sh"]\n`,
      'entry.sh': `echo "${mark} $@ $EXTRA $INPUT_WHO $(pwd)"; echo "n=1" >>"$GITHUB_OUTPUT"; exit \${CODE:-0}\n`
    })
    it('10.9.4: the image is built, args and env are filled in, outputs are read; the exit code is its own', async () => {
      repositories.commit('acme/box', files('one'), 'v1')
      const run = await bench.run(executionOf('acme/box@v1', { inputs: { who: 'me' }, remoteEnv: { CODE: '6' } }))
      expect(run.exitCode, run.err).to.equal(6)
      expect(run.out.slice(0, run.outputFrom)).to.equal('one --to me me! me /github/workspace\n')
      expect(outputOf(run)).to.deep.equal({ n: '1' })
      expect(run.err).to.match(/Step 1\/3 : FROM/)
    })
    it('10.9.2: forceRebuild: an image of the same commit is built once, and again when it says so', async () => {
      repositories.commit('acme/box', files('two'), 'v2')
      const builds = async (config: { forceRebuild?: boolean }) =>
        /Step 1\/3/.test((await bench.run(executionOf('acme/box@v2', { config: { ...config } }))).err)
      expect([await builds({}), await builds({}), await builds({ forceRebuild: true })]).to.deep.equal([
        true,
        false,
        true
      ])
    })
    it('docker://image and entrypoint', async () => {
      writeFiles(bench.folder, {
        'd/action.yml': `runs: {using: docker, image: "docker://${IMAGE}", entrypoint: echo, args: [a b, c]}`
      })
      expect((await bench.run(executionOf('./d'))).out).to.equal('a b c\n')
    })
    it('a Dockerfile that cannot be built says why', async () => {
      writeFiles(bench.folder, {
        'bad/action.yml': 'runs: {using: docker, image: Dockerfile}',
        'bad/Dockerfile': `FROM ${IMAGE}\nRUN exit 3\n`
      })
      const run = await bench.run(executionOf('./bad'))
      expect(run.exitCode).to.equal(1)
      expect(run.err).to.match(/the image of the action cannot be built from Dockerfile: .*exit 3.*code: 3/)
    })
  })
})
