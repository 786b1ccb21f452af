/** The value of a secret is written down nowhere, also when the engine is killed. Source: execution-semantics 14.4; reliability P23. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { launcherFolder } from '../../../src/executors/launcher/launcher-folder.ts'
import { createEngine, type Engine } from '../../../src/index.ts'
import { seen, textOf } from '../../support/engine/live.ts'
import { canary, leaks, MASK } from '../../support/engine/secret-scene.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { eventually } from '../../support/waiting.ts'

describe('secrets at rest', () => {
  const canaries = { plain: canary(), odd: `"${canary()}\\\n${canary()}'` }
  before(() => {
    process.env.REST_PLAIN = canaries.plain
    process.env.REST_ODD = canaries.odd
  })
  after(() => {
    delete process.env.REST_PLAIN
    delete process.env.REST_ODD
  })

  it('P23 no value is in the store, the write-ahead file, any log, any answer, or the command line of any process', async () => {
    const home = temporaryFolder()
    const engine: Engine = await createEngine({ home, defaultShell: 'sh' })
    const shown: string[] = []
    try {
      engine.subscribe((event) => shown.push(JSON.stringify(event)))
      const dagRunId = 'r1'
      const name = 'rest'
      await engine.start({
        dagRunId,
        spec: `
name: ${name}
type: graph
secrets:
  - {name: PLAIN, provider: env, key: REST_PLAIN}
  - {name: ODD, provider: env, key: REST_ODD}
params: [{P: x}]
handlerOn:
  failure: {command: 'echo "$PLAIN \${OUT}"', output: HANDLED}
steps:
  - {name: out, command: 'printf "%s\\n" "$PLAIN" "$ODD" "$ODD" | tee /dev/stderr', output: OUT, stdout: out.txt, stderr: err.txt}
  - {name: script, depends: out, script: "echo \${OUT}\\nsleep 1"}
  - {name: slow, command: 'echo "$PLAIN"; sleep 1'}
  - {name: fails, depends: out, command: 'echo "\${OUT}" >&2; exit 3'}
  - {name: unmet, preconditions: [{condition: "\${ODD}", expected: x}], command: 'true'}
`
      })
      const arguments_: string[] = []
      while (engine.record({ name, dagRunId })?.status === 'running') {
        for (const pid of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry)))
          try {
            arguments_.push(textOf(`/proc/${pid}/cmdline`))
          } catch {
            // it has ended since
          }
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
      const run = seen(await engine.result({ name, dagRunId }))
      expect(run.status).to.equal('failed')
      expect(run.out('slow')).to.equal(`${MASK}\n`)
      const texts = [...arguments_, ...shown, JSON.stringify(run)].join('\n')
      for (const value of [canaries.plain, ...canaries.odd.split('\n')])
        expect(texts.includes(value) || texts.includes(JSON.stringify(value).slice(1, -1))).to.equal(false)
      for (const folder of [home, launcherFolder(join(home, 'data'))])
        expect(leaks(folder, canaries.plain), 'while the engine is open').to.deep.equal([])
    } finally {
      await engine.close()
    }
    for (const value of [canaries.plain, ...canaries.odd.split('\n'), canaries.odd]) {
      expect(leaks(home, value)).to.deep.equal([])
    }
  })
})

const child = fileURLToPath(new URL('../../support/engine/engine-child.js', import.meta.url))

describe('kill -9 of the engine while steps with secrets run', () => {
  it('14.4.6, 14.4.8 the step goes on, stays masked, and its output is clear for later steps of the next engine', async () => {
    const token = canary()
    const home = temporaryFolder()
    writeFileSync(
      join(home, 'spec.yaml'),
      `
name: killed
secrets: [{name: TOKEN, provider: env, key: KILL_TOKEN}]
handlerOn:
  exit: {command: 'test "$BEFORE $DURING" = "$TOKEN $TOKEN!"'}
steps:
  - {name: before, command: echo $TOKEN, output: BEFORE}
  - name: during
    script: |
      printf '%s' "\${TOKEN%????}"
      touch ${home}/began
      while [ ! -e ${home}/go ]; do sleep 0.05; done
      echo "\${TOKEN#"\${TOKEN%????}"}!"
      echo "$TOKEN" >&2
    output: DURING
  - {name: after, command: 'test "\${BEFORE} \${DURING}" = "$TOKEN $TOKEN!"'}
`.replaceAll('\\$', '$')
    )
    process.env.KILL_TOKEN = token
    const dead = spawn(process.execPath, [child, home, join(home, 'spec.yaml'), 'r1'], {
      stdio: ['ignore', 'pipe', 'inherit']
    })
    await once(dead.stdout, 'data')
    await eventually('the step', () => (existsSync(join(home, 'began')) ? true : undefined))
    dead.kill('SIGKILL')
    await once(dead, 'exit')
    const engine = await createEngine({ home })
    try {
      writeFileSync(join(home, 'go'), '')
      const run = seen(await engine.result({ name: 'killed', dagRunId: 'r1' }))
      expect(run.status).to.equal('succeeded')
      expect(run.statuses).to.deep.equal(['succeeded', 'succeeded', 'succeeded'])
      expect(run.node('onExit').status).to.equal('succeeded')
      expect([run.node('before').output, run.err('during')]).to.deep.equal([MASK, `${MASK}\n`])
      const logs = dirname(run.node('before').stdout ?? '')
      await eventually(
        'no records left',
        () => !readdirSync(logs).some((name) => /\.(state|marks)$/.test(name)) || undefined
      )
      expect(leaks(home, token)).to.deep.equal([])
    } finally {
      delete process.env.KILL_TOKEN
      await engine.close()
    }
  })
})
