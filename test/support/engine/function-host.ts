/**
 * A host application with functions, as a process that can be killed: `node function-host.js HOME FOLDER [SPEC]` opens the home, starts
 * SPEC if there is one, and prints `ready`, then how each run has ended. Every call is a line in FOLDER/calls.
 */
import { appendFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { createEngine, defineFunction, NonRetryable } from 'troupe'
import { z } from 'zod'

const [, , home = '', folder = '', spec] = process.argv
const named = (name: string) =>
  defineFunction({ name, params: z.any() }, async ({ step, attempt, idempotencyKey }) => {
    appendFileSync(join(folder, 'calls'), `${step} ${attempt} ${idempotencyKey}\n`)
    await subscribed
    while (!existsSync(join(folder, `go-${step}`))) await new Promise((resolve) => setTimeout(resolve, 10))
    if (existsSync(join(folder, `fail-${step}`))) throw new NonRetryable('told to fail')
    return { step }
  })

// A run that goes on while the engine opens must not end unheard.
let hear = () => {}
const subscribed = new Promise<void>((resolve) => {
  hear = resolve
})
const engine = await createEngine({ home, functions: [named('shop/charge'), named('shop/ship')] })
engine.subscribe(({ status, to, run, actor }) => {
  if (actor.startsWith('run/') && !actor.includes('/node/') && run && ['succeeded', 'failed', 'canceled'].includes(to))
    console.log(`${run.name} ${status}`)
})
hear()
if (spec !== undefined) await engine.start({ name: 'shop', spec })
console.log('ready')
process.on('SIGTERM', () => void engine.close())
