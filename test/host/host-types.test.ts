/** The types that a host application sees: they compile as strictly as it likes, with nothing of ours installed beside them. Source: README "embed". */
import { spawnSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { temporaryFolder } from '../support/homes.ts'
import { oneIn } from '../support/long.ts'
import { PROJECT } from '../support/project.ts'

const BODY = `
const fruit = defineExecutor({
  type: 'fruit',
  config: { kind: { is: 'text', required: true } },
  execute: async ({ config }) => config.kind.length
})
const amount: StandardSchemaV1<{ amount: string }, { amount: number }> = {
  '~standard': { version: 1, vendor: 'host', validate: () => ({ value: { amount: 1 } }) }
}
const charge = defineFunction({ name: 'charge', params: amount }, ({ params }) => ({ paid: params.amount * 2 }))
// @ts-expect-error: a Map is no JSON
defineFunction({ name: 'map', params: amount }, () => ({ map: new Map([[1, 2]]) }))
// @ts-expect-error: a Date comes back as text
defineFunction({ name: 'date', params: amount }, async () => new Date(0))
// @ts-expect-error: it has no such param
defineFunction({ name: 'unknown', params: amount }, ({ params }) => params.count)
const options: EngineOptions = { temporary: true, settings: { basePath: '/eng' }, executors: [fruit], functions: [charge] }
async function main(): Promise<void> {
  const engine = await createEngine(options)
  const view: RunView = await engine.result(await engine.start({ spec: 'steps: [echo hi]', name: 'a' }))
  console.log(view.run.status, engine.config.port, engine.facts.charts().length, engine.runs({ limit: 5 }).length)
  console.log(TroupeError)
  console.log(createClient)
  // @ts-expect-error: it is misspelt
  await createEngine({ temprary: true })
  const authorize: HttpOptions['authorize'] = ({ headers }, { req }) =>
    headers.has('cookie') && req ? { name: 'anna', permissions: ['read', 'run'] } : null
  createServer(nodeHandler(engine, { authorize, may: (who, what, run) => who.name === what && run?.name === 'a' }))
  const answer: Response = await fetchHandler(engine, { authorize })(new Request('http://a.example'))
  const middleware: (ctx: { req: IncomingMessage; res: ServerResponse }, next: () => Promise<void>) => Promise<void> =
    koaMiddleware(engine, { authorize, prefix: '/flows' })
  console.log(answer.status, middleware)
  // @ts-expect-error: anybody could run commands
  nodeHandler(engine, { prefix: '/flows' })
}
void main()
`
const IMPORTS = `
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { StandardSchemaV1 } from '@standard-schema/spec'
import { createEngine, defineExecutor, defineFunction, type EngineOptions, type RunView, TroupeError } from 'troupe'
import { createClient } from 'troupe/client'
import { fetchHandler, type HttpOptions, koaMiddleware, nodeHandler } from 'troupe/http'
`
/** Ways in which a host's compiler finds the declarations. */
const RESOLUTIONS = {
  nodenext: { module: 'nodenext' },
  node16: { module: 'node16' },
  bundler: { module: 'esnext', moduleResolution: 'bundler' }
}

describe('types of a host application', () => {
  for (const [name, resolution] of oneIn(2, Object.entries(RESOLUTIONS)))
    it(`${name}: modules and CommonJS compile with strict, exactOptionalPropertyTypes and without skipLibCheck, and import no package of ours`, function () {
      this.timeout(60_000)
      const folder = temporaryFolder()
      mkdirSync(join(folder, 'node_modules', '@types'), { recursive: true })
      symlinkSync(PROJECT, join(folder, 'node_modules', 'troupe'))
      symlinkSync(join(PROJECT, 'node_modules/@types/node'), join(folder, 'node_modules/@types/node'))
      mkdirSync(join(folder, 'node_modules', '@standard-schema'), { recursive: true })
      symlinkSync(
        join(PROJECT, 'node_modules/@standard-schema/spec'),
        join(folder, 'node_modules/@standard-schema/spec')
      )
      writeFileSync(join(folder, 'package.json'), '{"type": "module"}')
      // A bundler knows no CommonJS of its own.
      const files = name === 'bundler' ? ['host.ts'] : ['host.ts', 'host.cts']
      // The client has the whole contract of the API in its types: it is read once.
      const text = name === 'nodenext' ? IMPORTS + BODY : (IMPORTS + BODY).replace(/^.*createClient.*$/gm, '')
      for (const file of files) writeFileSync(join(folder, file), text)
      const compilerOptions = {
        ...resolution,
        target: 'es2022',
        strict: true,
        exactOptionalPropertyTypes: true,
        skipLibCheck: false,
        noEmit: true,
        types: ['node']
      }
      writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }))
      const compiler = join(PROJECT, 'node_modules/typescript/bin/tsc')
      const { status, stdout } = spawnSync(process.execPath, [compiler, '-p', folder, '--listFiles'], {
        encoding: 'utf8'
      })
      const packages = [...stdout.matchAll(/node_modules\/((?:@[\w-]+\/)?[\w.-]+)\//g)].map(([, name = '']) => name)
      expect(stdout.split('\n').filter((line) => line.includes('error TS'))).to.deep.equal([])
      expect(status).to.equal(0)
      const known = /^(typescript|@typescript\/.*|@types\/node|undici-types|buffer|troupe|@standard-schema\/spec)$/
      expect([...new Set(packages)].filter((name) => !known.test(name))).to.deep.equal([])
    })
})
