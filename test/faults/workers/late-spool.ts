/** Loaded into a worker: a line of its spool counts as written at once, and reaches the disk later. */
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

const LATE_MS = 1_500

const { open, rm } = fs.promises
const isSpool = (path: unknown) => /\/worker\/spool\/[0-9a-f]{32}-/.test(String(path))
/** Lines on their way, by file. */
const waiting = new Map<string, number>()

fs.promises.open = (async (path: string, flags?: string, mode?: number) => {
  const file = await open(path, flags, mode)
  if (flags !== 'a' || !isSpool(path)) return file
  return Object.assign(file, {
    async appendFile(text: string) {
      waiting.set(path, (waiting.get(path) ?? 0) + 1)
      setTimeout(() => {
        if (!waiting.has(path)) return // it was removed meanwhile
        fs.appendFileSync(path, text)
      }, LATE_MS)
    }
  })
}) as typeof open
fs.promises.rm = async (path, options) => {
  waiting.delete(String(path))
  return rm(path, options)
}
syncBuiltinESMExports()
