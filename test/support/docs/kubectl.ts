/**
 * Stands for `kubectl` and a cluster, of which there is none: the objects of a file that was applied are there at once, and a pod is the server
 * of the test. Each word is held against these objects, and against the real kubectl where there is one, which is told of a cluster that
 * does not answer.
 */
// D1550: commands for a cluster are held against its objects, and against the words that kubectl knows
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { delimiter, join } from 'node:path'
import { parseAllDocuments } from 'yaml'

interface Manifest {
  kind: string
  metadata: { name: string }
  spec: {
    ports: { port: number; targetPort: string }[]
    template: { spec: { containers: Container[] } }
  }
}
interface Container {
  ports: { name: string; containerPort: number }[]
  env: { name: string; value: string }[]
  volumeMounts: { mountPath: string }[]
}
/** In KUBECTL_STAND_IN: where the server of the test is. */
export interface Cluster {
  port: number
  /** What the volume of the home is. */
  volume: string
}

const { port, volume }: Cluster = JSON.parse(process.env.KUBECTL_STAND_IN ?? '')
const home = process.env.HOME ?? ''
const applied = join(home, 'applied.yaml')
const words = process.argv.slice(2)

function refuse(why: string): never {
  console.error(`kubectl ${words.join(' ')}: ${why}`)
  process.exit(1)
}
/** Words that it does not know, it refuses before it looks for the cluster. */
function askReal(): void {
  const config = join(home, 'kubeconfig')
  mkdirSync(home, { recursive: true })
  const cluster = { name: 'none', cluster: { server: 'http://127.0.0.1:1' } }
  const context = { name: 'none', context: { cluster: 'none', user: 'none' } }
  const shown = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [cluster],
    contexts: [context],
    users: [{ name: 'none' }]
  }
  writeFileSync(config, JSON.stringify({ ...shown, 'current-context': 'none' }))
  // Behind this program, which comes first.
  const PATH = (process.env.PATH ?? '').split(delimiter).slice(1).join(delimiter)
  const { error, stderr } = spawnSync('kubectl', words, {
    env: { PATH, HOME: home, KUBECONFIG: config },
    encoding: 'utf8'
  })
  if (!error && !/127\.0\.0\.1:1 was refused|connection refused/.test(stderr)) refuse(stderr)
}
const manifests = (path: string): Manifest[] =>
  parseAllDocuments(readFileSync(path, 'utf8')).map((document) => document.toJS())
/** @param named such as `deployment/troupe` */
function objectOf(named = ''): Manifest {
  if (!existsSync(applied)) refuse('nothing was applied')
  const isIt = ({ kind, metadata }: Manifest) => `${kind.toLowerCase()}/${metadata.name}` === named
  return manifests(applied).find(isIt) ?? refuse(`there is no ${named}`)
}
const containerOf = (deployment: Manifest): Container =>
  deployment.spec.template.spec.containers[0] ?? refuse('it has no container')

function execute(deployment: Manifest, [program = '', ...rest]: string[]): void {
  const { env, volumeMounts } = containerOf(deployment)
  const [{ mountPath } = refuse('it has no volume')] = volumeMounts
  for (const word of rest)
    if (word.startsWith('/') && !word.startsWith(`${mountPath}/`)) refuse(`${word} is read-only: it is on no volume`)
  const here = (text: string) => text.replace(mountPath, volume)
  const variables = Object.fromEntries(env.map(({ name, value }) => [name, here(value)]))
  const { status } = spawnSync(program, rest.map(here), { env: { ...process.env, ...variables }, stdio: 'inherit' })
  process.exitCode = status ?? 1
}

function forward(service: Manifest, ports = ''): void {
  const [local, wanted] = ports.split(':').map(Number)
  const found = service.spec.ports.find((one) => one.port === wanted) ?? refuse(`it has no port ${wanted}`)
  const named = containerOf(objectOf(`deployment/${service.metadata.name}`)).ports
  const target = named.find(({ name }) => name === found.targetPort) ?? refuse(`no container has ${found.targetPort}`)
  createServer((client) => {
    const pod = connect(port, '127.0.0.1')
    client.on('error', () => pod.destroy()).pipe(pod)
    pod.on('error', () => client.destroy()).pipe(client)
  }).listen(local, '127.0.0.1', () => console.log(`Forwarding from 127.0.0.1:${local} -> ${target.containerPort}`))
}

askReal()
const [verb, ...rest] = words
if (verb === 'apply' && rest[0] === '--filename') {
  writeFileSync(applied, readFileSync(rest[1] ?? ''))
  for (const { kind, metadata } of manifests(applied)) console.log(`${kind.toLowerCase()}/${metadata.name} created`)
} else if (verb === 'rollout' && rest[0] === 'status') objectOf(rest[1])
else if (verb === 'exec' && rest[1] === '--') execute(objectOf(rest[0]), rest.slice(2))
else if (verb === 'port-forward') forward(objectOf(rest[0]), rest[1])
else refuse('this is not what a page shows')
