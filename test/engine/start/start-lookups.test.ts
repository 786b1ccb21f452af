/** A start looks its definition up once, and opens no file that it knows. Source: architecture 6, api-semantics 4.1. */
import fs, { mkdirSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { SHORT_TEXT } from '../../../src/definition/yaml/nesting.ts'
import { createEngine, type Engine, type StartRequest } from '../../../src/index.ts'
import { temporaryFolder } from '../../support/homes.ts'

/** File systems tell changes apart by a clock of a few ms: until then a file is read again. */
const SETTLED_MS = 150

describe('start › a definition is looked up once', () => {
  const home = temporaryFolder()
  const dags = join(home, 'dags')
  const base = join(home, 'base.yaml')
  let engine: Engine

  before(async () => {
    engine = await createEngine({ home })
    mkdirSync(dags, { recursive: true })
  })
  after(() => engine.close())

  async function written(name: string, text: string): Promise<string> {
    const path = join(dags, `${name}.yaml`)
    writeFileSync(path, text)
    await sleep(SETTLED_MS)
    return path
  }
  const steps = 'steps:\n  - name: s\n    command: "true"\n'

  /** How often the paths are looked at and opened while a run is started. */
  async function counted(paths: string[], request: StartRequest): Promise<string[]> {
    const { statSync, openSync } = fs
    const calls: string[] = []
    const noting = (what: string, real: (...args: never[]) => unknown) =>
      Object.assign((...args: never[]) => {
        const index = paths.indexOf(String(args[0]))
        if (index >= 0) calls.push(`${what} ${index}`)
        return real(...args)
      }, real)
    Object.assign(fs, { statSync: noting('stat', statSync), openSync: noting('open', openSync) })
    syncBuiltinESMExports()
    try {
      const key = await engine.start(request)
      await engine.result(key)
    } finally {
      Object.assign(fs, { statSync, openSync })
      syncBuiltinESMExports()
    }
    return calls
  }

  // A text that is new is looked at once more afterwards, to be noted as a version (D1432).
  const ofTheStart = (calls: string[]) => calls.slice(0, 3)

  it('the first start opens it, the next one sees that it is the same', async () => {
    const path = await written('a', steps)
    const calls = await counted([base, path], { fileName: 'a' })
    expect(ofTheStart(calls)).to.deep.equal(['stat 0', 'stat 1', 'open 1'])
    expect(calls.filter((call) => call === 'open 1')).to.have.length(1)
    expect(await counted([base, path], { fileName: 'a' })).to.deep.equal(['stat 0', 'stat 1'])
  })
  it('under another name it is read under that one alone', async () => {
    const path = await written('b', steps)
    const calls = await counted([base, path], { fileName: 'b', dagName: 'c' })
    expect(ofTheStart(calls)).to.deep.equal(['stat 0', 'stat 1', 'open 1'])
  })
  it('a long text is opened once, too, though a thread reads it', async () => {
    const path = await written('long', `${steps}${'# a comment\n'.repeat(SHORT_TEXT / 10)}`)
    const calls = await counted([path], { fileName: 'long' })
    expect(calls.slice(0, 2)).to.deep.equal(['stat 0', 'open 0'])
    expect(calls.filter((call) => call === 'open 0')).to.have.length(1)
    expect(await counted([path], { fileName: 'long' })).to.deep.equal(['stat 0'])
  })
  it('one that is not there is not found', async () => {
    const error = await engine.start({ fileName: 'nobody' }).catch((cause) => cause)
    expect(error).to.include({ code: 'not_found', message: 'there is no definition named nobody' })
  })
})
