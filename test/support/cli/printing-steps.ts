/** Definitions whose steps print, the lines that are expected of them, and a home to start them in with the program. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../homes.ts'
import { eventually } from '../waiting.ts'
import { called } from './called.ts'
import { program } from './program.ts'

/** A folder with these definitions that is a home as well. */
export function homeWith(definitions: Record<string, string>) {
  const folder = temporaryFolder()
  for (const [name, text] of Object.entries(definitions)) writeFileSync(join(folder, `${name}.yaml`), text)
  const environment = { ENGINE_HOME: folder, ENGINE_TZ: 'UTC' }
  const troupe = (...argv: string[]) => program(folder, environment, ...argv)
  return {
    folder,
    environment,
    troupe,
    async done(...argv: string[]) {
      return called(folder, environment, ...argv)
    }
  }
}
export const sorted = (text: string) => text.trimEnd().split('\n').sort()

export const seen = (written: { out: string }, text: string) =>
  eventually(text, () => (written.out.includes(text) ? true : undefined))

export const STEPS = `steps:
  - name: greet
    command: echo hello; printf partial >&2
  - name: flaky
    command: echo "try"; test -e ok
    retryPolicy: { limit: 1, intervalSec: 0 }
    continueOn: { failure: true }
  - name: thrice
    command: echo again
    repeatPolicy: { repeat: true, limit: 3, intervalSec: 0 }
handlerOn:
  exit:
    command: echo over
`
export const WHOLE = [
  'flaky | try',
  'flaky | try',
  'greet | hello',
  'greet | partial',
  'onExit | over',
  'thrice | again',
  'thrice | again',
  'thrice | again'
]
export const CALLS = `steps:
  - name: one
    call: kid
    params: X=alone
  - name: many
    call: kid
    parallel: { items: [a, b], maxConcurrent: 1 }
    params: X=\${ITEM}
---
name: kid
params: X=
steps:
  - name: below
    call: grandkid
    params: X=\${X}
---
name: grandkid
params: X=
steps:
  - name: say
    command: echo "in $X"
`
export const CALLED = ['many#1/below/say | in a', 'many#2/below/say | in b', 'one/below/say | in alone']

/** Two steps that print in turns, seconds apart, and one after them. */
export const TURNS = `type: graph
steps:
  - name: ping
    command: sh -c 'echo ping 1; echo PING >&2; sleep 4; echo ping 2'
  - name: pong
    command: sh -c 'sleep 2; echo pong 1; sleep 4; echo pong 2'
  - name: other
    command: echo other
    depends: [ping, pong]
`
