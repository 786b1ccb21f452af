#!/usr/bin/env node
/**
 * `troupe` as it is installed: runs the packaged program with its compiled code. A process that has lived for a while and found none
 * (another version of Node than the one it was built with) leaves its own behind. Source: performance 5.
 */
import './no-debugger.ts'
import { join } from 'node:path'
import { compile, keep, run } from './compiled.ts'

/** Seconds after which a process has run what is worth keeping. */
const LONG_ENOUGH = 5

const file = join(import.meta.dirname, 'program.cjs')
const { script, wanted } = compile(file)
if (wanted)
  process.on('exit', () => {
    if (process.uptime() >= LONG_ENOUGH) keep(file, script)
  })
run(file, script)
