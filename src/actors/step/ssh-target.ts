/** The target of ssh steps, expanded: of a DAG when a run is loaded, of a step in time. Source: execution-semantics 3.3, 8.4, 10.3.1. */
import { resolve } from 'node:path'
import type { Json, SshTarget } from '../../../machines/vocabulary.ts'
import { ssh } from '../../definition/dag/connections.ts'
import type { Lookup } from '../../definition/text/lookup.ts'
import { expandField } from '../../definition/text/variables.ts'
import { messageOf, TroupeError } from '../../errors.ts'
import { configValues } from '../../executors/frame/config-values.ts'
import { atHome } from '../../platform/at-home.ts'

// D626: defaults follow the `ssh` program
/** The DAG's `ssh`, with a check of its key, so that a run that cannot connect does not start. @throws TroupeError bad_request */
export async function dagTarget(
  written: SshTarget,
  look: Lookup,
  workingDir: string,
  mask: (text: string) => string
): Promise<SshTarget> {
  try {
    const target = { ...written }
    for (const field of ['user', 'host', 'port', 'key', 'password', 'knownHostFile'] as const) {
      const text = target[field]
      if (text !== undefined) target[field] = await expandField(text, look)
    }
    const located = withPaths(target, workingDir)
    const { credentialsOf } = await import('../../executors/ssh/credentials.ts')
    await credentialsOf(located)
    return located
  } catch (cause) {
    throw new TroupeError('bad_request', `field 'ssh': ${mask(messageOf(cause))}`) // its cause would repeat a value
  }
}

/** A step's own config completely replaces that of the DAG. @param config expanded @throws Error `ssh configuration is not found` */
export function stepTarget(
  config: { [key: string]: Json },
  ofDag: SshTarget | undefined,
  workingDir: string
): SshTarget {
  if (Object.keys(config).length === 0) {
    if (ofDag) return ofDag
    throw new Error('ssh configuration is not found')
  }
  const values = configValues(config)
  const blank = ssh.blank({ host: values.text('ip') || values.text('host') || '' })
  const [key, password, knownHostFile] = [values.text('key'), values.text('password'), values.text('knownHostFile')]
  const target = {
    ...blank,
    user: values.text('user') ?? blank.user,
    port: values.text('port') || blank.port,
    strictHostKey: values.flag('strictHostKey') ?? blank.strictHostKey,
    ...(key ? { key } : {}),
    ...(password ? { password } : {}),
    ...(knownHostFile ? { knownHostFile } : {})
  }
  return withPaths(target, workingDir)
}

function withPaths({ key, knownHostFile, ...target }: SshTarget, workingDir: string): SshTarget {
  const absolute = (path: string) => resolve(workingDir, atHome(path))
  return {
    ...target,
    ...(key ? { key: absolute(key) } : {}),
    ...(knownHostFile ? { knownHostFile: absolute(knownHostFile) } : {})
  }
}
