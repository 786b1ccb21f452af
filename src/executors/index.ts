/** The executors there are, by type. */
import type { Clock } from '../clock.ts'
import { archive } from './archive/archive.ts'
import type { Executor } from './executor.ts'
import { http } from './http/http.ts'
import { jq } from './jq/jq.ts'
import type { Launcher } from './launcher.ts'
import { mail } from './mail/mail.ts'
import { shell } from './shell.ts'

export const openExecutors = (launcher: Launcher, clock: Clock): Map<string, Executor> =>
  new Map(
    [shell(launcher, clock), http(clock), jq(clock), archive(clock), mail(clock)].map((executor) => [
      executor.type,
      executor
    ])
  )
