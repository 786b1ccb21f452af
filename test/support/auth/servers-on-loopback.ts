/** Servers that know each other as remote nodes: one asks, one wants a password, one has TLS and tokens. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createEngine, type Engine } from '../../../src/index.ts'
import { served } from '../../api/client.ts'
import { freePort } from '../free-port.ts'
import { temporaryFolder } from '../homes.ts'
import { selfSigned } from './certificates.ts'

export type Served = Awaited<ReturnType<typeof served>>

/** For the tests of a `describe`; `laid` opens them, after it they are closed. */
export function serversOnLoopback() {
  const folder = temporaryFolder()
  const [certFile, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
  const open: { engine: Engine; server: Served }[] = []
  const asOps = { headers: { Authorization: `Basic ${Buffer.from('ops:geheim').toString('base64')}` } }

  /** A server with one definition, named as it is. */
  async function serverOf(name: string, settings: Record<string, unknown>, port = 0) {
    const engine = await createEngine({ temporary: true, defaultShell: 'sh', settings })
    const { dagsDir } = engine.config
    mkdirSync(dagsDir, { recursive: true })
    writeFileSync(join(dagsDir, `${name}.yaml`), `steps:\n  - name: say\n    command: echo from ${name}\n`)
    const server = await served(engine, { port })
    open.push({ engine, server })
    return { engine, server }
  }

  const laid = async () => {
    const { cert, key } = selfSigned('lab')
    writeFileSync(certFile, cert)
    writeFileSync(keyFile, key)
    const lab = (
      await serverOf('lab-dag', {
        'tls.certFile': certFile,
        'tls.keyFile': keyFile,
        'auth.tokens': [
          { name: 'all', value: 'lab-token' },
          { name: 'reader', value: 'lab-reader', permissions: ['read'] }
        ]
      })
    ).server
    const labUrl = `https://127.0.0.1:${lab.port}/api/v2`
    const two = await serverOf('staging-dag', {
      'auth.basic.username': 'ops',
      'auth.basic.password': 'geheim',
      remoteNodes: [{ name: 'lab', apiBaseURL: labUrl, authToken: 'lab-token', tlsConfig: { caFile: certFile } }]
    })
    const { server: staging, engine: stagingEngine } = two
    const stagingUrl = `http://127.0.0.1:${staging.port}/api/v2`
    const ops = { basicAuthUsername: 'ops', basicAuthPassword: 'geheim' }
    const port = await freePort()
    const remoteNodes = [
      { name: 'staging', apiBaseURL: stagingUrl, ...ops },
      { name: 'wrong', apiBaseURL: stagingUrl, ...ops, basicAuthPassword: 'no' },
      { name: 'lab', apiBaseURL: labUrl, authToken: 'lab-token', tlsConfig: { caFile: certFile } },
      { name: 'reader', apiBaseURL: labUrl, authToken: 'lab-reader', skipTLSVerify: true },
      { name: 'unknown-authority', apiBaseURL: labUrl, authToken: 'lab-token' },
      { name: 'itself', apiBaseURL: `http://127.0.0.1:${port}/api/v2` },
      { name: 'dead', apiBaseURL: 'http://127.0.0.1:9/api/v2' }
    ]
    const { server: front } = await serverOf('front-dag', { remoteNodes }, port)
    return { front, staging, stagingEngine }
  }
  after(async () => {
    for (const { server } of open) await server.close()
    for (const { engine } of open) await engine.close()
  })
  return { laid, serverOf, asOps }
}
