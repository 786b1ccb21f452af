/**
 * `container` of a step: a container for this step, with the fields of the DAG's, or the name of a running one. It becomes the
 * docker executor with an equivalent config. Source: execution-semantics 1.9 ("later"); its semantics are ours.
 */
import type { Json } from '../../../machines/vocabulary.ts'
import { readContainer } from '../dag/container.ts'
import { isText, textOf } from '../fields/values.ts'
import { type Problems, wrong } from '../problems.ts'
import type { Field } from '../yaml/value.ts'
import type { WrittenExecutor } from './executor.ts'

/** What makes sense for a container that waits for steps only. */
const IDLE = ['startup', 'command', 'waitFor', 'logPattern', 'restartPolicy']

// D618: `container` on a step is the docker executor
/** @returns undefined, with a problem, when it is invalid */
export function stepContainer(problems: Problems, field: Field): WrittenExecutor | undefined {
  const executor = { type: 'docker', written: 'container', configField: field, own: true } as const
  if (isText(field)) {
    const containerName = textOf(field).trim()
    if (containerName) return { ...executor, config: { containerName } }
    wrong(problems, field, 'the name of a running container is required')
    return undefined
  }
  const found = readContainer(problems, field)
  if (!found) return undefined
  const written = field.value.kind === 'map' ? field.value.entries : []
  const idle = IDLE.filter((name) => written.some(({ key }) => key.toLowerCase() === name.toLowerCase()))
  for (const name of idle)
    problems.warn(`${field.path}.${name}: has no effect on the container of a step, only on that of a workflow`)
  const { image, name, pull, platform, keepContainer, env, user, workingDir, volumes, ports, network } = found
  const config: { [key: string]: Json } = {
    image,
    pull,
    autoRemove: !keepContainer,
    ports,
    container: {
      env: Object.fromEntries(env.map(({ key, value }) => [key, value])),
      ...(user === undefined ? {} : { user }),
      ...(workingDir === undefined ? {} : { workingDir })
    },
    host: { binds: volumes, init: true },
    ...(name === undefined ? {} : { containerName: name }),
    ...(platform === undefined ? {} : { platform }),
    ...(network === undefined ? {} : { network })
  }
  return { ...executor, config }
}
