/** Secrets that a test can find wherever they end up, and a live engine that has some. */
import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../homes.ts'
import { liveEngine } from './live.ts'

export const MASK = '*******'
export const canary = () => `canary-${randomBytes(12).toString('hex')}`

/** Content of every file below a folder, by path. */
function filesIn(folder: string): { path: string; bytes: Buffer }[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile())
    .map((path) => ({ path, bytes: existsSync(path) ? readFileSync(path) : Buffer.alloc(0) }))
}

/** Paths of files that hold a value, plain, as JSON has it, or as UTF-16. */
export const leaks = (folder: string, value: string): string[] =>
  filesIn(folder)
    .filter(({ bytes }) =>
      [Buffer.from(value), Buffer.from(JSON.stringify(value).slice(1, -1)), Buffer.from(value, 'utf16le')].some(
        (form) => bytes.includes(form)
      )
    )
    .map(({ path }) => path)

/** An engine in whose environment and files are secrets, for the tests of a `describe`; `dag` is a definition that names them. */
export function secretScene() {
  const token = canary()
  const line = canary()
  const key = `"first\\ ${line}"\nsecond ${line}\nxyz\n`
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'key.pem'), `${key}\n`)
  before(() => {
    process.env.E2E_TOKEN = token
    process.env.E2E_PREFIX = token.slice(0, 12)
    process.env.E2E_QUOTED = `${canary()}"\\ '${canary()}`
  })
  after(() => {
    delete process.env.E2E_QUOTED
    delete process.env.E2E_TOKEN
    delete process.env.E2E_PREFIX
  })
  const live = liveEngine()
  const dag = (steps: string, more = '') => `
      workingDir: ${folder}
      type: graph
      secrets:
        - {name: TOKEN, provider: env, key: E2E_TOKEN}
        - {name: PREFIX, provider: env, key: E2E_PREFIX}
        - {name: KEY, provider: file, key: key.pem}
${more}
      steps:
${steps}
`
  return { live, folder, dag, token, key }
}
