/**
 * The fence of a simulated machine, as `src/executors/fence/fence.sh` does it: each half second it looks at the deadline that the worker
 * has written, and past it ends what is listed. It outlives the worker, and ends with its machine.
 */
import { join } from 'node:path'
import { isAlive } from './processes.ts'
import type { WorkerMachine } from './world.ts'

const TICK_MS = 500

/** @returns what starts it, unless it runs */
export function simulatedFence(machine: WorkerMachine): { start(): void; stop(): void } {
  const { world, home, processes } = machine
  const { clock, disks } = world
  const folder = join(home, 'fence')
  let cancel: (() => void) | undefined

  function look(): void {
    const until = Number.parseInt(disks.read(join(folder, 'deadline')) ?? '', 10)
    const now = Math.floor(machine.uptime() / 10)
    if (now >= until) for (const id of disks.names(join(folder, 'list'))) end(id)
    cancel = clock.after(TICK_MS, look)
  }
  function end(id: string): void {
    const [, state] = /^state (.*)$/m.exec(disks.read(join(folder, 'list', id)) ?? '') ?? []
    for (const one of processes.all()) {
      if (one.state !== state?.replace(/@\d{4}/, '') || !isAlive(one)) continue
      world.tell(`${machine.name}: the fence ends ${one.state.slice(home.length)}`)
      disks.keep(join(folder, 'fenced', id), `${now()}\n`)
      world.rules.counts.fenced++
      processes.fence(one)
    }
  }
  const now = () => Math.floor(machine.uptime() / 10)
  return {
    start() {
      cancel ??= clock.after(TICK_MS, look)
    },
    stop() {
      cancel?.()
      cancel = undefined
    }
  }
}
