#!/usr/bin/env node
/**
 * `troupe` as it is installed: runs the packaged program with its compiled code. A process that has lived for a while and found none
 * (another version of Node than the one it was built with) leaves its own behind. Source: performance 5.
 */
import './no-debugger.ts'
import { join } from 'node:path'
import { programIn } from './program-parts.ts'

/** Seconds after which a process has run what is worth keeping. */
const LONG_ENOUGH = 5

const program = programIn(join(import.meta.dirname, 'program'))
process.on('exit', () => {
  if (process.uptime() >= LONG_ENOUGH) program.keep()
})
program.load('main.cjs')
