/** Everything at once, on a few names and ids. Whatever happened: each run that was acknowledged is there, once. */
import type { Reply } from './answers.ts'
import type { Heat } from './heat.ts'
import { settled } from './settling.ts'

const NAMES = 3
const IDS = 6
/** Requests of each client. */
const WAVES = 2

export async function chaos(heat: Heat): Promise<void> {
  const { id, send, random, width } = heat
  const names = Array.from({ length: NAMES + 2 }, (_, n) => `${id}-d${n}`)
  const ids = Array.from({ length: IDS }, (_, n) => `${id}-r${n}z`)
  /** How many runs with an id there must be. */
  const balance = new Map<string, number>()
  const add = (dagRunId: unknown, by: number) =>
    balance.set(String(dagRunId), (balance.get(String(dagRunId)) ?? 0) + by)
  const spec = () => `maxActiveRuns: ${random.pick([1, 2, -1])}\nsteps: [{name: s, command: '${random.pick(STEPS)}'}]`
  const name = () => random.pick(names)
  const dagRunId = () => random.pick(ids)
  const own = () => (random.chance(0.8) ? { dagRunId: dagRunId() } : {})
  const started = async (reply: Promise<Reply>) => {
    const { isDone, json } = await reply
    if (isDone) add(json.dagRunId, 1)
  }
  const requests: (() => Promise<unknown>)[] = [
    () => started(send('start', `/dags/${name()}/start`, own())),
    () => started(send('start', `/dags/${name()}/start`, { ...own(), singleton: true })),
    () => started(send('enqueue', `/dags/${name()}/enqueue`, own())),
    () => started(send('start', '/dag-runs', { spec: spec(), name: name(), ...own() })),
    () => started(send('enqueue', '/dag-runs/enqueue', { spec: spec(), name: name(), ...own() })),
    () => started(send('reschedule', `/dag-runs/${name()}/${dagRunId()}/reschedule`, own())),
    async () => {
      const newId = dagRunId()
      const [from, path] = [dagRunId(), name()]
      const { isDone, runId } = await send('retry', `/dag-runs/${path}/${from}/retry`, { dagRunId: newId })
      if (isDone && newId !== from) add(runId, 1)
    },
    () => send('retry', `/dag-runs/${name()}/${dagRunId()}/retry`),
    async () => {
      const taken = dagRunId()
      if ((await send('dequeue', `/dag-runs/${name()}/${taken}/dequeue`)).isDone) add(taken, -1)
    },
    () => send('stop', `/dag-runs/${name()}/${dagRunId()}/stop`),
    () => send('stopAll', `/dags/${name()}/stop-all`),
    () => send('patch', `/dag-runs/${name()}/${dagRunId()}/steps/s/status`, { status: random.below(6) }),
    () => send('rename', `/dags/${name()}/rename`, { newFileName: name() }),
    () => send('remove', `/dags/${name()}`),
    () => send('create', '/dags', { name: name(), spec: spec() }),
    () => send('suspend', `/dags/${name()}/suspend`, { suspend: random.chance(0.5) }),
    () => send('read', `/dag-runs/${name()}/latest`),
    () => send('read', `/dags/${name()}/dag-runs`)
  ]
  for (const name of names.slice(0, NAMES)) await send('create', '/dags', { name, spec: spec() })
  for (let wave = 0; wave < WAVES; wave++) {
    const chosen = Array.from({ length: width }, () => random.pick(requests))
    await Promise.all(chosen.map((ask) => ask()))
  }
  await settled(heat)
  for (const [dagRunId, wanted] of balance) {
    const { json } = await send('read', `/dag-runs?dagRunId=${dagRunId}`)
    heat.must(
      json.dagRuns.length === wanted,
      `${wanted} runs with the id ${dagRunId} were acknowledged, and there are ${json.dagRuns.length}`
    )
    for (const run of json.dagRuns) heat.saw(run.name, dagRunId)
  }
}

const STEPS = ['true', 'exit 3', 'sleep 0.02', 'sleep 0.1']
