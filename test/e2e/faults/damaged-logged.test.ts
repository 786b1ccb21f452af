/** What the log says of a run that cannot go on after a restart: why, in a line. Source: reliability P7. */
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { createEngine } from '../../../src/index.ts'
import { killedAfter } from '../../support/engine/killed-engine.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { oneIn } from '../../support/long.ts'
import { overwrite } from '../../support/store/damaged-records.ts'
import { damage } from '../../support/store/lived-in-home.ts'

const waiting = (home: string) => `
name: held
secrets: [{name: TOKEN, provider: file, key: ${home}/secret}]
steps:
  - command: 'echo one >>${home}/marks; while [ ! -e ${home}/go ]; do sleep 0.05; done'
`

const harms: [what: string, why: RegExp, harm: (home: string) => unknown][] = [
  [
    'its entry is damaged',
    /what is stored of it is not readable$/,
    (home) => damage(home, (store) => overwrite(store, 'runs', ['held', 'r1']))
  ],
  [
    'an entry of a step is damaged',
    /a step of it is not readable: Unexpected end/,
    (home) => damage(home, (store) => overwrite(store, 'nodes', ['held', 'r1', 0]))
  ],
  [
    'what a step was doing is damaged',
    /what step "cmd_1" was doing is damaged$/,
    (home) =>
      damage(home, ({ nodes }) => {
        const { record } = nodes.get(['held', 'r1', 0]) ?? {}
        return record && nodes.put(['held', 'r1', 0], { record })
      })
  ],
  [
    'its secret is gone',
    /failed to resolve secrets: secret "TOKEN": there is no file/,
    (home) => rmSync(join(home, 'secret'))
  ]
]

describe('a run that cannot go on after a restart', () => {
  for (const [what, why, harm] of oneIn(3, harms))
    it(`${what}: the log has one line, with the run and the reason, no stack, and speaks of no defect`, async () => {
      const home = temporaryFolder()
      writeFileSync(join(home, 'secret'), 'hush')
      await killedAfter(home, waiting(home), 1)
      await createEngine({ home }).then((engine) => engine.close()) // everything pending is in the store
      await harm(home)
      const said: [string, Record<string, unknown> | undefined][] = []
      const log = { debug() {}, info() {}, warn() {}, error: (...line: (typeof said)[number]) => void said.push(line) }
      const engine = await createEngine({ home, defaultShell: 'sh', log })
      try {
        expect(engine.record({ name: 'held', dagRunId: 'r1' })).to.include({ status: 'failed' })
      } finally {
        writeFileSync(join(home, 'go'), '')
        await engine.close()
      }
      expect(said.map(([message]) => message)).to.deep.equal(['a failure was survived'])
      const error = String(said[0]?.[1]?.error)
      expect(error).to.match(/^TroupeError: run r1 of held cannot continue: /)
      expect(error.split(' <- ', 1)[0]).to.match(why)
      expect(error).to.not.match(/\n\s+at /)
    })
})
