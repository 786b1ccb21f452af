/** Steps whose processes do not behave, each with what is to become of it. Source: reliability T10. */

/** Seconds that a stopped step has to clean up. */
export const CLEAN_UP = 1

/** Processes of the case that forks, mebibytes of the one that writes: in `make test`, and of the make target. */
export interface Amounts {
  forks: number
  outputMiB: number
}
export const FEW: Amounts = { forks: 60, outputMiB: 48 }
export const MANY: Amounts = { forks: 200, outputMiB: 1024 }

export interface Case {
  name: string
  /** Shell text; writes `ready` when it is as it should be. */
  command: string
  /** It is stopped; otherwise it ends by itself. */
  stopped?: boolean
  status: 'canceled' | 'failed' | 'succeeded'
  /** Its processes may outlive the stop: they have left its group. */
  mayLeave?: boolean
}

export const casesOf = ({ forks, outputMiB }: Amounts): Case[] => [
  {
    name: 'ignores-term',
    command: `trap "" TERM INT HUP; touch ready; while :; do sleep 0.1; done`,
    stopped: true,
    status: 'canceled'
  },
  {
    name: 'children-ignore',
    command: `for i in 1 2 3; do (trap "" TERM; while :; do sleep 0.1; done) & done; touch ready; wait`,
    stopped: true,
    status: 'canceled'
  },
  {
    name: 'forks',
    command: `i=0; while [ $i -lt ${forks} ]; do sleep 300 & i=$((i+1)); done; touch ready; wait`,
    stopped: true,
    status: 'canceled'
  },
  {
    name: 'forks-again',
    command: `trap 'sleep 300 & sleep 300 &' TERM; touch ready; while :; do sleep 0.1; done`,
    stopped: true,
    status: 'canceled'
  },
  { name: 'is-stopped', command: `touch ready; kill -STOP $$; sleep 300`, stopped: true, status: 'canceled' },
  { name: 'holds-the-pipe', command: `sleep 300 & touch ready; exit 0`, status: 'succeeded' },
  {
    name: 'daemon',
    command: `setsid -f sh -c 'sleep 300' >/dev/null 2>&1; touch ready; exit 0`,
    status: 'succeeded'
  },
  {
    name: 'daemon-stopped',
    command: `setsid -f sh -c 'sleep 300' >/dev/null 2>&1; touch ready; sleep 300`,
    stopped: true,
    status: 'canceled',
    mayLeave: true
  },
  {
    name: 'zombies',
    command: `sh -c 'i=0; while [ $i -lt 20 ]; do true & i=$((i+1)); done; exec sleep 1'; touch ready`,
    status: 'succeeded'
  },
  { name: 'kills-itself', command: `touch ready; kill -SEGV $$; sleep 300`, status: 'failed' },
  { name: 'kills-its-group', command: `touch ready; kill -KILL 0; sleep 300`, status: 'failed' },
  {
    name: 'much-output',
    command: `touch ready; head -c ${outputMiB * 1024 ** 2} /dev/zero | tr '\\0' x`,
    status: 'succeeded'
  }
]
