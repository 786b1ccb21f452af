/** A life of a server, in which what most servers call is called once. Run by `warm.mjs`, with the folder of its home. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { live } from './warm-life.mjs'

const [home = ''] = process.argv.slice(2)

const steps = Array.from(
  { length: 200 },
  (_, i) => `  - {name: s${i}, command: "true", depends: [${i ? `s${i - 1}` : ''}]}`
)
const definitions = {
  long: `params: "A=1"\nsteps:\n${steps.join('\n')}\n`,
  short:
    'steps: [{name: a, command: echo 1, output: OUT}, {name: b, script: "echo $OUT\\nexit 1", retryPolicy: {limit: 1, intervalSec: 0}}]\n',
  many: 'steps: [{name: all, call: one, parallel: [1, 2, 3]}]\n---\nname: one\nsteps: ["true"]\n',
  daily:
    'schedule: "0 0 1 1 *"\ntags: a\nsteps: [{name: a, command: "true", preconditions: ["true"], continueOn: {failure: true}}]\n'
}
mkdirSync(join(home, 'dags'))
for (const [name, text] of Object.entries(definitions)) writeFileSync(join(home, 'dags', `${name}.yaml`), text)

/** As people write them: what reads a definition is the largest part of what a server does with its first one. */
const written = `# comment
name: written
type: graph
description: "a \\"quoted\\" text"
tags: [a, 'b c']
schedule: "0 1 * * *"
env:
  - A: 1
params:
  - DAY: today
steps:
${Array.from(
  { length: 300 },
  (_, i) => `  - name: w${i}
    command: echo "step ${i} of \${DAY}"
    depends: [${i ? `w${i - 1}` : ''}]
`
).join('')}  - name: last
    script: |
      echo one
      echo two
    depends:
      - w0
      - w1
    retryPolicy: {limit: 2, intervalSec: 1}
`

const port = await new Promise((resolve) => {
  const server = createServer().listen(0, '127.0.0.1', () => {
    const { port } = server.address()
    server.close(() => resolve(port))
  })
})
live(['start-all', '--home', home, '--port', String(port)])

const ask = async (path, body) => {
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
  const response = await fetch(`http://127.0.0.1:${port}/api/v2${path}`, body && init)
  const text = await response.text()
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`)
  return text.startsWith('{') ? JSON.parse(text) : text
}
// A program of the build, not of the engine: it has no `Clock`.
const wait = () => new Promise((resolve) => setTimeout(resolve, 20))
while (!(await ask('/health').catch(() => false))) await wait()
for (const path of ['/dags', '/dags?tags=a', '/dags/search?q=true', '/dags/long', '/dags/long/spec', '/openapi.json'])
  await ask(path)
// With a second document it is read by the package.
for (const spec of [written, `${written}---\nname: other\nsteps: ["true"]\n`]) {
  const { errors } = await ask('/dags/validate', { spec })
  if (errors.length > 0) throw new Error(errors.join('; '))
}
for (const [name, client] of [
  ['short', 'start'],
  ['many', 'start'],
  ['daily', 'enqueue'],
  ['short', 'enqueue']
]) {
  const { dagRunId } = await ask(`/dags/${name}/${client}`, {})
  const run = `/dag-runs/${name}/${dagRunId}`
  const isOver = async () => (await ask(run)).dagRunDetails.finishedAt
  while (!(await isOver())) await wait()
  for (const of of ['', '/log', '/actors', '/explain', '/actors?event=3', '/journal', '/sequence', '/spec'])
    await ask(run + of)
}
for (const path of ['/dag-runs', '/queues', '/metrics', '/machines', '/dags/short/dag-runs']) await ask(path)
process.kill(process.pid, 'SIGTERM')
