/**
 * The executors there are, by type: a line here and a folder for each. What works inside the engine, and its packages, is loaded when a
 * step needs it: an `executor.ts` says what there is to know before.
 */
import type { Clock } from '../clock.ts'
import { archive } from './archive/executor.ts'
import type { CustomExecutor } from './custom/custom.ts'
import { customInsider } from './custom/custom-insider.ts'
import type { DockerEngine } from './docker/connection.ts'
import { docker } from './docker/docker.ts'
import type { Executor } from './executor.ts'
import { inProcess } from './frame/in-process.ts'
import { gha } from './gha/executor.ts'
import type { Egress } from './http/addresses.ts'
import { http } from './http/executor.ts'
import { jq } from './jq/executor.ts'
import type { Capture } from './launcher/capture.ts'
import type { Launcher } from './launcher/launcher.ts'
import type { StepGroups } from './limits/step-groups.ts'
import { mail } from './mail/executor.ts'
import { shell } from './shell/shell.ts'
import { ssh } from './ssh/executor.ts'

/** The part of the configuration that executors are held to; absent: nothing. */
export interface ExecutorRules {
  /** Where http steps may connect to. */
  egress?: Egress | undefined
  /** Folder for scripts of steps that run as somebody else. */
  scripts?: string
  groups?: StepGroups | undefined
}

/** @param custom those of the host application */
export function openExecutors(
  launcher: Launcher,
  capture: Capture,
  clock: Clock,
  engine: DockerEngine,
  custom: readonly CustomExecutor[] = [],
  { egress, ...places }: ExecutorRules = {}
): Map<string, Executor> {
  const executors: Executor[] = [
    shell(launcher, clock, places),
    docker(engine, clock),
    inProcess(http(clock, egress), clock),
    inProcess(jq(clock), clock),
    inProcess(archive(clock), clock),
    inProcess(mail(clock), clock),
    inProcess(ssh(clock), clock),
    inProcess(gha(engine, capture, clock), clock),
    ...custom.map((executor) => inProcess(customInsider(executor), clock))
  ]
  return new Map(executors.map((executor) => [executor.type, executor]))
}
