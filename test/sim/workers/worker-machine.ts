/** A machine of a worker: its disk, its clock, its processes. What guards the worker starts it again whenever it has ended. */
import { simulatedFence } from './fence.ts'
import { type Fate, openProcesses } from './processes.ts'
import { openWorkerLife } from './worker-life.ts'
import type { WorkerMachine, World } from './world.ts'

export interface MachineWish {
  name: string
  labels: Record<string, string>
  slots: number
  skewMs: number
}

export function openWorkerMachine(
  world: World,
  fate: Fate,
  { name, labels, slots, skewMs }: MachineWish
): WorkerMachine {
  const { clock } = world
  let troubleAt = clock.now()
  /** Counts what has happened to its process, so that what was to happen to an earlier one does not happen to it. */
  let turn = 0
  let cuts = 0
  let isCut = false
  let isFrozen = false
  const later = (ms: number, act: () => void) => {
    const mine = ++turn
    clock.after(ms, () => mine === turn && act())
  }
  const machine: WorkerMachine = {
    name,
    labels,
    slots,
    world,
    skewMs,
    home: `${world.home}/${name}`,
    processes: openProcesses(name, clock, fate, (process, before) => {
      world.disks.keep(`${process.state}.1.state`, '')
      world.tell(`${name}: ${process.state.slice(machine.home.length)} begins`)
      world.rules.began(process, before)
    }),
    number: 0,
    revived: 0,
    life: undefined,
    bootedAt: clock.now() - world.random.pick([0, 5_000, 3_600_000]),
    uptime: () => clock.now() - machine.bootedAt,
    fence: { start: () => {}, stop: () => {} },
    slowMs: 0,
    isDiskFull: false,
    homeId: () => machine.life?.homeId,
    quietSince() {
      const isWell = !isCut && !isFrozen && !machine.isDiskFull && machine.slowMs === 0 && machine.life?.moments.alive
      if (!isWell) troubleAt = clock.now()
      return isWell && !world.isStormy() ? Math.max(troubleAt, world.troubleAt()) : undefined
    },
    disturbed() {
      troubleAt = clock.now()
    },
    start(last) {
      machine.disturbed()
      machine.number++
      world.tell(`${name}: worker starts${last ? `, until moment ${last}` : ''}`)
      isFrozen = false
      machine.life = openWorkerLife(machine, last)
      world.counts.workers++
    },
    kill(againMs, last) {
      machine.disturbed()
      world.tell(`${name}: worker is killed for ${againMs} ms`)
      machine.revived = machine.number
      machine.life?.end()
      isFrozen = false
      later(againMs, () => machine.start(last))
    },
    freeze(ms) {
      const { life } = machine
      if (!life?.moments.alive) return
      world.tell(`${name}: worker is stopped for ${ms} ms`)
      machine.disturbed()
      isFrozen = true
      life.freeze()
      later(ms, () => {
        isFrozen = false
        machine.disturbed()
        life.thaw()
      })
    },
    powerCut(againMs, isErased) {
      world.tell(`${name}: power cut${isErased ? ', and its disk is lost' : ''}`)
      machine.kill(againMs)
      machine.fence.stop()
      machine.processes.lose(isErased)
      if (isErased) world.disks.erase(machine.home)
      else world.disks.losePower(machine.home, world.random)
      machine.bootedAt = clock.now() + againMs
    },
    cut(how, ms) {
      const mine = ++cuts
      isCut = true
      world.tell(`${name}: cut (${how}) for ${ms} ms`)
      machine.disturbed()
      world.net.cut(name, how)
      clock.after(ms, () => {
        if (mine !== cuts) return
        isCut = false
        machine.disturbed()
        world.net.cut(name, false)
      })
    }
  }
  machine.fence = simulatedFence(machine)
  return machine
}
