/** An engine in a separate process that is killed with -9, and the marks that its steps leave. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { eventually } from '../waiting.ts'

const child = fileURLToPath(new URL('./engine-child.js', import.meta.url))

/** Lines that steps have written into the file `marks` of a home. */
export function marksIn(home: string): string[] {
  try {
    return readFileSync(join(home, 'marks'), 'utf8').trim().split('\n')
  } catch {
    return []
  }
}

/** A whole engine starts, and perhaps a container, on a machine that may be busy. */
const PATIENCE_MS = 60_000

/**
 * Starts `spec` as run `r1` in a separate engine, waits until there are `marks` of them, kills that engine.
 * @param also what is waited for beside: a number of ms, or what comes to be true
 * @param environment of that engine, beside this one's
 */
export async function killedAfter(
  home: string,
  spec: string,
  marks: number,
  also: number | (() => boolean | Promise<boolean>) = 0,
  environment: Record<string, string> = {}
): Promise<void> {
  writeFileSync(join(home, 'spec.yaml'), spec)
  const engine = spawn(process.execPath, [child, home, join(home, 'spec.yaml'), 'r1'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...environment }
  })
  await once(engine.stdout, 'data')
  await eventually(`${marks} marks`, () => (marksIn(home).length >= marks ? true : undefined), PATIENCE_MS)
  if (typeof also === 'number') await new Promise((resolve) => setTimeout(resolve, also))
  else await eventually('what it is killed after', async () => (await also()) || undefined, PATIENCE_MS)
  engine.kill('SIGKILL')
  await once(engine, 'exit')
}
