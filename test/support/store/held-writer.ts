/** Another process that writes to a store and does not end: LMDB lets nobody else write meanwhile, the engine of the home included. */
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { eventually } from '../waiting.ts'

const OPEN = fileURLToPath(new URL('../../../src/store/open.js', import.meta.url))
const HOLDS = `
const { openStore } = await import(process.argv[2])
openStore(process.argv[1]).root.transactionSync(() => {
  process.stdout.write('holds')
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
})`

/** Resolves when it writes, with a function that kills it: nothing is written then. @param dataDir of a store that is there */
export async function heldWriter(dataDir: string): Promise<() => Promise<void>> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', HOLDS, dataDir, OPEN], {
    stdio: ['ignore', 'pipe', 'inherit']
  })
  const ended = new Promise<void>((resolve) => child.on('close', () => resolve()))
  let said = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  await eventually('another process writes to the store', () => said.includes('holds') || undefined)
  return async () => {
    child.kill('SIGKILL')
    await ended
  }
}
