/** What does it cost to read among 100,000 stored runs: the latest, a page, details; and to read them all? */
import { type Question, scaled } from '../question.ts'
import { readOften } from '../read-often.ts'
import { seedRuns } from '../seeding.ts'

const RUNS = 100_000
const NAMES = ['often', 'nightly', 'weekly', 'hourly']

export const runs: Question = {
  name: 'runs',
  ownOnly: true,
  definitions: () => Object.fromEntries(NAMES.map((name) => [name, definition(name)])),
  async prepare(place, scale) {
    await seedRuns(place, NAMES, scaled(RUNS, scale))
  },
  async ask({ client, tree }, scale) {
    const count = scaled(RUNS, scale)
    const id = (n: number) => String(count - NAMES.length * (1 + n)).padStart(7, '0')
    const before = tree.memory()
    let most = before.ownMiB
    const watch = setInterval(() => {
      most = Math.max(most, tree.memory().ownMiB)
    }, 50)
    const all = await client.read('/dag-runs').finally(() => clearInterval(watch))
    const small = Math.min(count, 1_000)
    return [
      { figure: `GET /dag-runs, all ${count}`, unit: 'ms', better: 'less', value: all.ms },
      { figure: '... its size', unit: 'MiB', better: 'less', value: all.bytes / 2 ** 20 },
      { figure: '... own memory meanwhile, above before', unit: 'MiB', better: 'less', value: most - before.ownMiB },
      ...(await readOften(client, 'GET /dag-runs/{name}/latest', '/dag-runs/nightly/latest')),
      ...(await readOften(client, 'GET /dag-runs/{name}?limit=50', '/dag-runs/nightly?limit=50')),
      ...(await readOften(client, 'GET /dags/{fileName}/dag-runs', '/dags/nightly/dag-runs')),
      ...(await readOften(client, 'GET /dag-runs/{name}/{id}', (n) => `/dag-runs/often/seeded-${id(n % (small / 8))}`)),
      ...(await readOften(client, 'GET /dag-runs?limit=50&status=4', '/dag-runs?limit=50&status=4')),
      ...(await readOften(client, 'GET /dags', '/dags')),
      ...(await readOften(client, 'GET /metrics', '/metrics'))
    ]
  }
}

const definition = (name: string): string => `name: ${name}
params: DAY=today
steps:
  - name: extract
    command: echo extract
  - name: load
    command: echo load
    depends: extract
`
