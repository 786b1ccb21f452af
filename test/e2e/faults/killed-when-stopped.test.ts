/** A stop is stored before its step hears of it: whatever happens then, the step was stopped. Source: reliability P4, P5. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { createEngine, defineExecutor } from '../../../src/index.ts'
import { temporaryFolder } from '../../support/homes.ts'

const child = fileURLToPath(new URL('../../support/engine/dying-child.js', import.meta.url))

describe('P4 an engine that dies in the moment at which its step hears of a stop', () => {
  for (const what of ['stop', 'kill'])
    it(`knows of it afterwards (${what}): the step is neither failed nor executed again`, async () => {
      const home = temporaryFolder()
      const dying = spawn(process.execPath, [child, home, what], { stdio: ['ignore', 'ignore', 'inherit'] })
      expect((await once(dying, 'exit'))[1], 'it died of the request').to.equal('SIGKILL')
      let again = 0
      const fragile = defineExecutor({
        type: 'fragile',
        async execute() {
          again++
        }
      })
      const engine = await createEngine({ home, executors: [fragile] })
      const { run, nodes } = await engine.result({ name: 'a', dagRunId: 'r1' })
      await engine.close()
      expect([run.status, nodes[0]?.node.status, again]).to.deep.equal(['canceled', 'canceled', 0])
    })
})
