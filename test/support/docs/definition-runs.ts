/** Definitions of pages as files in folders of their own, run by one engine with the files and programs that they name. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { expect } from 'chai'
import { createEngine, type Engine, type EngineOptions, type RunKey } from '../../../src/index.ts'
import { type Ended, seen } from '../engine/live.ts'
import { temporaryFolder } from '../homes.ts'
import { placed } from './page-blocks.ts'

export interface Around {
  /** Texts by path, from the folder of the definition; all of them may be executed. */
  files?: Record<string, string>
  /** What the page has, and what it is here: addresses. */
  replaced?: readonly (readonly [string, string])[]
  /** As on the command line. */
  params?: string
  /** Of the definition; default: `flow`. */
  name?: string
}

export interface DefinitionRuns {
  /** Open while tests run. */
  readonly engine: Engine
  /** Programs before those of the system, for every step. */
  readonly bin: string
  /** Puts a definition and its files into a new folder. @returns its path */
  write(block: string, around?: Around): string
  start(path: string, params?: string): Promise<RunKey>
  ended(key: RunKey): Promise<Ended>
  /** Writes it, starts it, and waits for its end. `folder` is that of the definition. */
  run(block: string, around?: Around): Promise<Ended & { folder: string; key: RunKey }>
  /** The same; it must succeed. */
  succeeds(block: string, around?: Around): Promise<Ended & { folder: string; key: RunKey }>
}

/** Scripts and other texts below a folder. */
export function writeExecutable(folder: string, files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
    chmodSync(join(folder, name), 0o755)
  }
}

/**
 * For the tests of a `describe`. Steps run by `sh` unless they say otherwise.
 * @param environment of the server, known when tests begin; the process has it again as it was after them
 */
export function definitionRuns(
  environment: () => Record<string, string> = () => ({}),
  options: EngineOptions = {}
): DefinitionRuns {
  let engine: Engine | undefined
  const bin = temporaryFolder()
  const earlier = { ...process.env }
  let changed: string[] = []
  before(async () => {
    const more = { PATH: [bin, earlier.PATH].join(delimiter), ...environment() }
    changed = Object.keys(more)
    Object.assign(process.env, more)
    engine = await createEngine({ temporary: true, defaultShell: 'sh', ...options })
  })
  after(async () => {
    await engine?.close()
    for (const name of changed)
      if (earlier[name] === undefined) delete process.env[name]
      else process.env[name] = earlier[name]
  })
  const open = (): Engine => engine ?? expect.fail('the engine is open in tests only')
  const runs: DefinitionRuns = {
    get engine() {
      return open()
    },
    bin,
    write(block, { files = {}, replaced = [], name = 'flow' } = {}) {
      const folder = temporaryFolder()
      writeExecutable(folder, files)
      const path = join(folder, `${name}.yaml`)
      writeFileSync(path, placed(block, replaced))
      return path
    },
    start: (file, params) => open().start(params === undefined ? { file } : { file, params }),
    ended: async (key) => seen(await open().result(key)),
    async run(block, around = {}) {
      const path = runs.write(block, around)
      const key = await runs.start(path, around.params)
      return { ...(await runs.ended(key)), folder: dirname(path), key }
    },
    async succeeds(block, around) {
      const ended = await runs.run(block, around)
      const errors = [
        ended.run.error,
        ...ended.nodes.map(({ step, node }) => node.error && `${step.name}: ${node.error}`)
      ]
      expect(ended.status, errors.filter(Boolean).join('; ')).to.equal('succeeded')
      return ended
    }
  }
  return runs
}
