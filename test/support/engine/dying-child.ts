/**
 * An engine in a separate process that dies when its step is asked to end: `node dying-child.js HOME stop|kill`.
 * It asks for that end itself, as soon as the step has begun.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { createEngine, defineExecutor } from 'troupe'

const [home = '', what = 'stop'] = process.argv.slice(2)
const RUN = { name: 'a', dagRunId: 'r1' }

/** Ends its engine, as `kill -9` does, in the moment at which the request reaches it. */
const fragile = defineExecutor({
  type: 'fragile',
  async execute({ stop, kill }) {
    const signal = what === 'kill' ? kill : stop
    signal.addEventListener('abort', () => process.kill(process.pid, 'SIGKILL'))
    asked()
    await wait(60_000)
  }
})

const engine = await createEngine({ home, executors: [fragile] })
await engine.start({
  spec: 'name: a\nonInterrupt: rerun\nsteps: [{name: a, executor: fragile}]',
  dagRunId: RUN.dagRunId
})

function asked() {
  setImmediate(() => void engine.stop(RUN, what === 'kill' ? { force: true } : {}))
}
