/**
 * The example for Kubernetes, and the commands of its page, by a stand-in for the cluster. No cluster is needed: `kubectl` reads the Deployment into its types and writes it again, and a field that it
 * does not know is not in what it writes. It does that for kinds with pods only; fields of the others are compared with those that we know.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { parse, parseAllDocuments, stringify } from 'yaml'
import { runningServer } from '../../support/cli/program.ts'
import { blocksOf, blockWith } from '../../support/docs/blocks.ts'
import { type PastingOptions, shellIn } from '../../support/docs/pasting.ts'
import { freePort } from '../../support/free-port.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { PROJECT } from '../../support/project.ts'
import { eventually } from '../../support/waiting.ts'

interface Manifest {
  kind: string
  [key: string]: unknown
}
const manifests = parseAllDocuments(readFileSync(join(PROJECT, 'docs', 'operating', 'kubernetes.yaml'), 'utf8')).map(
  (document) => document.toJS() as Manifest
)
const of = (kind: string): Manifest => manifests.find((one) => one.kind === kind) ?? expect.fail(`no ${kind}`)
const pathsIn = (value: unknown, path = ''): string[] =>
  value !== null && typeof value === 'object'
    ? Object.entries(value).flatMap(([key, one]) => pathsIn(one, `${path}.${Array.isArray(value) ? '[]' : key}`))
    : [path]

/** Members of kinds without pods that stand in the example, as the API of Kubernetes has them. */
const KNOWN: Record<string, RegExp> = {
  Secret: /^\.(apiVersion|kind|metadata\.name|type|stringData\.\w+)$/,
  PersistentVolumeClaim:
    /^\.(apiVersion|kind|metadata\.name|spec\.(accessModes\.\[\]|storageClassName|resources\.requests\.storage))$/,
  Service: /^\.(apiVersion|kind|metadata\.name|spec\.(selector\.[\w./]+|ports\.\[\]\.(name|port|targetPort)))$/
}

/** What kubectl does not know of a Deployment. @param image it has to change something */
function unknownIn(deployment: Manifest): string[] {
  const file = join(temporaryFolder(), 'deployment.yaml')
  writeFileSync(file, stringify(deployment))
  const words = ['set', 'image', '--local', '--output', 'yaml', '--filename', file, '*=example.com/other:1']
  const written = execFileSync('kubectl', words, {
    encoding: 'utf8',
    env: { ...process.env, KUBECONFIG: '/dev/null' },
    stdio: ['ignore', 'pipe', 'pipe']
  })
  const kept = new Set(pathsIn(parse(written)))
  return pathsIn(deployment).filter((path) => !kept.has(path))
}

describe('docs/operating/kubernetes.md', () => {
  it('its commands fit the example: what they name is there, and a server does what it is told', async () => {
    const volume = temporaryFolder()
    const server = await runningServer({ ENGINE_HOME: join(volume, 'home') })
    const local = await freePort()
    const shell = shellIn(server.folder, [['8080:80', `${local}:80`]])
    const cluster = { port: Number(new URL(server.address).port), volume }
    const program = join(PROJECT, 'dist/test/support/docs/kubectl.js')
    shell.install(
      'kubectl',
      `KUBECTL_STAND_IN='${JSON.stringify(cluster)}' exec '${process.execPath}' '${program}' "$@"`
    )
    const paste = (block = '', options: PastingOptions = {}) =>
      shell.paste(block, { cwd: join(PROJECT, 'docs/operating'), ...options })
    const ending = new AbortController()
    try {
      const [install = '', backup = ''] = blocksOf('docs/operating/kubernetes.md', 'sh')
      let ended: string | undefined
      const installed = paste(install, { ending: ending.signal }).then(({ out }) => {
        ended = out
        return out
      })
      await eventually('a way to the service', async () => {
        if (ended !== undefined) throw new Error(ended)
        return (await fetch(`http://127.0.0.1:${local}/api/v2/health/ready`).catch(() => undefined))?.ok || undefined
      })
      ending.abort()
      expect(await installed)
        .to.contain('deployment/troupe created')
        .and.contain('-> 8080')
      const { code, out } = await paste(backup)
      expect(code, out).to.equal(0)
      expect(readdirSync(join(volume, 'before-upgrade'))).not.to.deep.equal([])
      for (const wrong of ['deployment/trope', 'deployment/troupe --flag'])
        expect((await paste(install.split('\n')[1]?.replace('deployment/troupe', wrong))).code, wrong).to.equal(1)
    } finally {
      ending.abort()
      await server.end()
    }
  })

  it('the example has what it is made of', () => {
    expect(manifests.map(({ kind }) => kind)).to.deep.equal([
      'Secret',
      'PersistentVolumeClaim',
      'Deployment',
      'Service'
    ])
  })

  it('kubectl knows every field of the Deployment', function () {
    this.timeout(30_000)
    if (spawnSync('kubectl', ['version', '--client']).status !== 0) return this.skip()
    expect(unknownIn(of('Deployment'))).to.deep.equal([])
    const wrong = structuredClone(of('Deployment')) as { spec?: Record<string, unknown> } & Manifest
    Object.assign(wrong.spec ?? {}, { replicaz: 1 })
    expect(unknownIn(wrong), 'a wrong one is found').to.deep.equal(['.spec.replicaz'])
  })

  it('the probes of watching.md are those that a container has', function () {
    this.timeout(30_000)
    if (spawnSync('kubectl', ['version', '--client']).status !== 0) return this.skip()
    const probes = parse(blockWith('docs/operating/watching.md', 'yaml', 'livenessProbe'))
    const deployment = structuredClone(of('Deployment')) as unknown as { spec: { template: Pod } } & Manifest
    Object.assign(deployment.spec.template.spec.containers[0] ?? {}, probes)
    expect(unknownIn(deployment)).to.deep.equal([])
  })

  it('every field of the others is one that their kinds have', () => {
    for (const [kind, known] of Object.entries(KNOWN))
      expect(
        pathsIn(of(kind)).filter((path) => !known.test(path)),
        kind
      ).to.deep.equal([])
  })

  it('one server at a time owns the home: one replica, which ends before the next begins', () => {
    const { spec } = of('Deployment') as unknown as { spec: { replicas: number; strategy: object; template: Pod } }
    expect([spec.replicas, spec.strategy]).to.deep.equal([1, { type: 'Recreate' }])
    const { spec: pod } = spec.template
    expect(pod.terminationGracePeriodSeconds).to.be.at.least(30)
    expect(pod.securityContext).to.include({ runAsNonRoot: true })
    const [container] = pod.containers
    expect(container?.securityContext).to.deep.equal({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] }
    })
    expect(container?.livenessProbe.httpGet.path).to.equal('/api/v2/health/live')
    expect(container?.startupProbe.httpGet.path, 'not ready while it recovers is no reason to kill it').to.equal(
      '/api/v2/health/live'
    )
    expect(container?.readinessProbe.httpGet.path).to.equal('/api/v2/health/ready')
  })

  it('what belongs together has the same name', () => {
    const { spec } = of('Deployment') as unknown as { spec: { selector: { matchLabels: object }; template: Pod } }
    const [container] = spec.template.spec.containers
    expect(spec.template.metadata.labels).to.deep.equal(spec.selector.matchLabels)
    expect((of('Service') as unknown as { spec: { selector: object } }).spec.selector).to.deep.equal(
      spec.selector.matchLabels
    )
    expect(spec.template.spec.volumes.map(({ name }) => name)).to.have.members(
      container?.volumeMounts.map(({ name }) => name) ?? []
    )
    const names = JSON.stringify(spec.template.spec)
    for (const kind of ['PersistentVolumeClaim', 'Secret'])
      expect(names).to.contain(`"${(of(kind) as unknown as { metadata: { name: string } }).metadata.name}"`)
  })
})

interface Probe {
  httpGet: { path: string }
}
interface Pod {
  metadata: { labels: object }
  spec: {
    terminationGracePeriodSeconds: number
    securityContext: object
    volumes: { name: string }[]
    containers: {
      securityContext: object
      startupProbe: Probe
      livenessProbe: Probe
      readinessProbe: Probe
      volumeMounts: { name: string }[]
    }[]
  }
}
