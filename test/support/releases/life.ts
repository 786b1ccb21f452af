/** A home that one release after the other serves, with work in it that takes as long as the test wants. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { installedProgram } from '../cli/program.ts'
import { temporaryFolder } from '../homes.ts'
import { eventually } from '../waiting.ts'

/** What is open in it, by DAG name: the run is `r`, and `q` waits behind that of `working`. */
export const OPEN = ['working', 'masked', 'retrying', 'repeating', 'calling'] as const

/** Steps say that they began in `marks`, and go on when there is a file `go`; with the folder they end. Commands are as 0.4 read them. */
const definitions = (folder: string): Record<string, string> => ({
  working: `maxActiveRuns: 1
handlerOn: {exit: {command: "sh -c 'echo exit >> ${folder}/marks'"}}
steps:
  - name: long
    command: sh -c 'echo working >> ${folder}/marks; echo early; until [ -e ${folder}/go ]; do [ -e ${folder}/marks ] || exit 9; sleep 0.1; done; echo late'
    output: SAID
  - {name: after, command: "sh -c 'echo after $SAID >> ${folder}/marks'", depends: long}
`,
  masked: `secrets: [{name: KEY, provider: env, key: UPGRADE_KEY}]
steps:
  - name: long
    command: sh -c 'echo masked >> ${folder}/marks; echo before $KEY; until [ -e ${folder}/go ]; do [ -e ${folder}/marks ] || exit 9; sleep 0.1; done; echo behind $KEY'
`,
  retrying: `steps:
  - name: again
    command: sh -c 'echo retrying >> ${folder}/marks; [ -e ${folder}/go ]'
    retryPolicy: {limit: 30, intervalSec: 1}
`,
  repeating: `steps:
  - name: look
    command: "sh -c 'if [ -e ${folder}/go ]; then echo found; else echo not yet; fi'"
    output: FOUND
    repeatPolicy: {repeat: until, condition: "$FOUND", expected: found, intervalSec: 1, limit: 1000}
`,
  calling: `steps: [{name: down, call: below}]
---
name: below
steps:
  - {name: long, command: "sh -c 'echo calling >> ${folder}/marks; until [ -e ${folder}/go ]; do [ -e ${folder}/marks ] || exit 9; sleep 0.1; done'"}
  - {name: after, command: echo, depends: long}
`
})

export interface ShownRun {
  statusLabel: string
  nodes: { step: { name: string }; statusLabel: string; stdout?: string; error?: string }[]
}

export interface Served {
  /** What it wrote to standard error. */
  log(): string
  ask(path: string, method?: string, body?: unknown): Promise<{ status: number; json: unknown }>
  run(name: string, id?: string): Promise<ShownRun>
  end(signal: NodeJS.Signals): Promise<void>
}

export interface Life {
  home: string
  /** Starts all, and waits until their first steps have begun. */
  begin(server: Served): Promise<void>
  /** @param path of a `troupe.js` @throws Error with its words when it does not serve */
  serve(path: string): Promise<Served>
  command(path: string, ...words: string[]): Promise<{ code: number | null; out: string; err: string }>
  /** Lets everything come to its end. */
  go(): void
  /** Lines, sorted. */
  marks(): string[]
}

export function newLife(): Life {
  const home = temporaryFolder()
  const environment = { ENGINE_HOME: home, UPGRADE_KEY: 'open-sesame-open' }
  mkdirSync(join(home, 'dags'))
  for (const [name, text] of Object.entries(definitions(home))) writeFileSync(join(home, 'dags', `${name}.yaml`), text)
  const marks = () => {
    const text = readFileSync(join(home, 'marks'), { encoding: 'utf8', flag: 'a+' })
    return text.split('\n').filter(Boolean).sort()
  }
  return {
    home,
    marks,
    go: () => writeFileSync(join(home, 'go'), ''),
    async command(path, ...words) {
      const { code, written } = installedProgram(path, home, environment, ...words)
      return { code: await code, ...written }
    },
    async serve(path) {
      const server = installedProgram(path, home, environment, 'start-all', '--json', '--port', '0')
      const line = await eventually('a server', () => {
        if (server.child.exitCode !== null) throw new Error(server.written.err)
        return server.written.out.endsWith('\n') ? server.written.out : undefined
      })
      const { address }: { address?: string } = JSON.parse(line)
      if (address === undefined) throw new Error(line) // 0.5.0 says here, too, why it does not serve
      const ask: Served['ask'] = async (path, method = 'GET', body) => {
        const sent = body === undefined ? {} : { body: JSON.stringify(body) }
        const answer = await fetch(`${address}/api/v2${path}`, { method, ...sent })
        return { status: answer.status, json: await answer.json() }
      }
      return {
        ask,
        log: () => server.written.err,
        run: async (name, id = 'r') => ((await ask(`/dag-runs/${name}/${id}`)).json as { dagRun: ShownRun }).dagRun,
        async end(signal) {
          server.child.kill(signal)
          await server.code
        }
      }
    },
    async begin(server) {
      for (const name of OPEN) await started(server, `/dags/${name}/start`, 'r')
      await started(server, '/dags/working/enqueue', 'q')
      await eventually(
        'all at work',
        () => ['working', 'masked', 'retrying', 'calling'].every((name) => marks().includes(name)) || undefined
      )
    }
  }
}

async function started(server: Served, path: string, dagRunId: string): Promise<void> {
  const { status, json } = await server.ask(path, 'POST', { dagRunId })
  if (status !== 200) throw new Error(`${path}: ${JSON.stringify(json)}`)
}
