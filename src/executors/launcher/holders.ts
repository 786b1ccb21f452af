/** Who is free to hold a job: the warden, where there is one and the job is plain, or else a keeper that is idle. */
import type { Job } from './job-record.ts'
import type { Keeper, Keepers } from './keepers.ts'
import { isPlain } from './warden.ts'

export interface Holders {
  /** One that is ready. */
  add(keeper: Keeper): void
  /** Undefined: nobody is free. The warden is asked for when it is wanted. */
  take(job: Job): Keeper | undefined
  /** Its job has ended, or could not be handed to it. */
  giveBack(keeper: Keeper): void
  /** It is gone. */
  drop(keeper: Keeper): void
  /** Lets everybody go who is free: nobody can be handed anything any more. */
  release(): void
  /** Asks for keepers, as far as they are not awaited. @param jobs that may begin at once */
  ask(jobs: number): void
  /** Looks at each keeper once. */
  areAlive(): (keeper: Keeper) => boolean
}

/** Keepers made at a time, and idle ones kept. */
const BATCH = 8
const SPARE = 32

// D54
export function openHolders(keepers: Keepers): Holders {
  const idle: Keeper[] = []
  let warden: Keeper | undefined

  return {
    add(keeper) {
      if (keeper.holdsMany) warden = keeper
      else idle.push(keeper)
    },
    take(job) {
      if (!isPlain(job)) return idle.pop()
      if (!warden) keepers.wantWarden()
      return warden ?? idle.pop()
    },
    giveBack(keeper) {
      if (keeper.holdsMany) return
      if (idle.length < SPARE && !keeper.isStale) idle.push(keeper)
      else keepers.dismiss(keeper)
    },
    drop(keeper) {
      keepers.dismiss(keeper)
      if (keeper === warden) warden = undefined
    },
    release() {
      for (const keeper of idle.splice(0)) keepers.dismiss(keeper)
      if (warden) keepers.dismiss(warden)
      warden = undefined
    },
    ask(jobs) {
      const wanted = jobs - keepers.awaited
      if (wanted > 0) keepers.make(keepers.awaitsWarden ? 1 : Math.max(wanted, BATCH))
    },
    areAlive() {
      const found = new Map<Keeper, boolean>()
      return (keeper) => {
        const alive = found.get(keeper) ?? keepers.lives(keeper)
        found.set(keeper, alive)
        return alive
      }
    }
  }
}
