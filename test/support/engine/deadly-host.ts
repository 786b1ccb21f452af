/**
 * A host application whose code ends its process: `node deadly-host.js HOME FOLDER HOW TIMES [SPEC]` opens the home, starts SPEC if there
 * is one, prints `ready`, how each run has ended, and the error of its step. Every call is a line in FOLDER/calls; the first TIMES of what
 * is deadly end the process, as HOW says.
 */
import { appendFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createEngine, defineExecutor, defineFunction } from 'troupe'
import { z } from 'zod'

const [, , home = '', folder = '', how = 'exit', times = '0', spec] = process.argv
const never = () => new Promise<never>(() => {})
const WAYS: Record<string, () => void> = {
  exit: () => process.exit(1),
  throw: () => void setTimeout(() => throwError(), 0),
  abort: () => process.abort()
}
function throwError(): never {
  throw new Error('thrown in a timer')
}
async function deadly(what: string): Promise<string> {
  appendFileSync(join(folder, 'calls'), `${what}\n`)
  const calls = readFileSync(join(folder, 'calls'), 'utf8').split('\n')
  if (calls.filter((line) => line === what).length > Number(times)) return what
  WAYS[how]?.()
  return never()
}
const any = z.any()
const engine = await createEngine({
  home,
  functions: [
    defineFunction({ name: 'deadly', params: any }, () => deadly('deadly')),
    defineFunction({ name: 'item', params: any }, (call) => {
      const { item } = call as unknown as { item: number }
      return item === 2 ? deadly('item 2') : String(item)
    })
  ],
  executors: [
    defineExecutor({
      type: 'killer',
      async execute() {
        await deadly('killer')
      }
    })
  ]
})
if (spec !== undefined) await engine.start({ name: 'shop', dagRunId: 'r', spec })
console.log('ready')
const { run, nodes } = await engine.result({ name: 'shop', dagRunId: 'r' })
console.log(`${run.status}: ${nodes[0]?.node.error ?? ''}`)
process.on('SIGTERM', () => void engine.close())
console.log('waits')
