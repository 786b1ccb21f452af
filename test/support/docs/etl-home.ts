/** A server whose home has what the examples of docs/cli.md are about: `etl` with its test, and `order`. */
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type RunningServer, runningServer } from '../cli/program.ts'
import { temporaryFolder } from '../homes.ts'
import { eventually } from '../waiting.ts'
import { type Shell, shellIn } from './pasting.ts'

/** With a file `hold` its next run waits for a file `go`; with a file `broken` it fails. */
const ETL = `schedule: "0 6 29 2 *"
type: chain
params:
  DAY: 2026-01-01
  NOTE: none
steps:
  - name: extract
    command: echo "extracted $DAY"
  - name: transform
    command: |
      echo "note $NOTE"
      test ! -e ~/hold || { rm ~/hold; until rm ~/go 2> /dev/null; do sleep 0.05; done; }
  - name: load
    command: |
      test ! -e ~/broken || { echo "no such table" >&2; exit 3; }
      echo "loaded $DAY"
`
const TESTED = `mocks:
  steps: {extract: "12", transform: "", load: ""}
tests:
  - name: loads what was extracted
    expect: {status: succeeded}
`
const ORDER = `type: chain
steps:
  - name: paid
    executor: signal
  - name: ship
    executor: approval
`

/** What tests look at in answers, which have it or not. */
interface Answer {
  code?: string
  dagRun?: { finishedAt: string; statusLabel: string; params: string }
  targets?: { dead: number }[]
  waiting?: { step: string }[]
}

export interface EtlHome {
  server: RunningServer
  folder: string
  /** The folder of its definitions, where the examples are pasted. */
  dags: string
  shell: Shell
  /** An answer of its API. */
  ask(path: string, body?: object): Promise<Answer>
  /** Leaves or removes a file that a step of `etl` looks at. */
  put(file: 'hold' | 'broken' | 'go'): void
  remove(file: 'broken'): void
  /** A run of `etl` that waits for `go`. */
  held(dagRunId: string): Promise<void>
  /** Status of a run that has ended. */
  ended(name: string, dagRunId: string): Promise<string>
}

export function definitionsIn(folder: string): string {
  const dags = join(folder, 'dags')
  mkdirSync(dags, { recursive: true })
  for (const [name, text] of Object.entries({ etl: ETL, 'etl.test': TESTED, order: ORDER }))
    writeFileSync(join(dags, `${name}.yaml`), text)
  return dags
}

interface EtlOptions {
  /** In which something was before; default: a new one. */
  folder?: string
  /** Text of its config.yaml. */
  file?: string
  /** As of `shellIn`. */
  replaced?: [string, string][]
}

/** Its user ends the server. */
export async function etlHome(options: EtlOptions = {}): Promise<EtlHome> {
  const { folder = temporaryFolder(), file = '', replaced = [] } = options
  const dags = definitionsIn(folder)
  const server = await runningServer({ ENGINE_TZ: 'UTC' }, { folder, file })
  const home: EtlHome = {
    server,
    folder,
    dags,
    shell: shellIn(folder, replaced, { ENGINE_TZ: 'UTC' }),
    async ask(path, body) {
      const sent = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }
      const text = await (await fetch(`${server.address}/api/v2${path}`, sent)).text()
      return (text === '' ? {} : JSON.parse(text)) as Answer
    },
    put: (name) => writeFileSync(join(folder, name), ''),
    remove: (name) => rmSync(join(folder, name)),
    async held(dagRunId) {
      home.put('hold')
      await home.ask('/dags/etl/start', { dagRunId })
      await eventually('a run that waits', () => !existsSync(join(folder, 'hold')) || undefined)
    },
    ended: (name, id) =>
      eventually(`the end of ${name} ${id}`, async () => {
        const { dagRun } = await home.ask(`/dag-runs/${name}/${id}`)
        return dagRun?.finishedAt ? dagRun.statusLabel : undefined
      })
  }
  return home
}
