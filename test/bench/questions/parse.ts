/** How long does a process that has read nothing yet take to parse, validate and expand a definition of 1,000 steps, HTTP left out? */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type Question, scaled } from '../question.ts'
import { longDefinition } from './read.ts'

const STEPS = 1000
const READ = fileURLToPath(new URL('../../../src/definition/read.js', import.meta.url))

/** Modules are loaded when the clock starts, as in a server; nothing has run yet. */
const PROGRAM = `
const { readDefinition } = await import(process.argv[1])
const begun = performance.now()
const { problems } = readDefinition(process.argv[2], { fallbackName: 'parse' })
console.log(JSON.stringify({ ms: performance.now() - begun, problems }))`

export const parse: Question = {
  name: 'parse',
  ownOnly: true,
  definitions: () => ({}),
  async ask(_server, scale) {
    const args = ['--input-type=module', '--eval', PROGRAM, READ, longDefinition(scaled(STEPS, scale))]
    const { stdout } = await promisify(execFile)(process.execPath, args)
    const { ms, problems } = JSON.parse(stdout)
    if (problems?.length) throw new Error(`the definition has problems: ${JSON.stringify(problems[0])}`)
    return [{ figure: '1,000 steps in a fresh process', unit: 'ms', better: 'less', value: ms }]
  }
}
