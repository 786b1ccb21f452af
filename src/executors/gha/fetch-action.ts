/** Fetches the repository of an action with git, at one ref. Source: execution-semantics 10.9.4. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { RemoteAction } from '../../definition/steps/action-reference.ts'
import { messageOf } from '../../errors.ts'
import type { Secrets } from '../../masking/secrets.ts'
import type { Capture } from '../launcher/capture.ts'

export interface Fetched {
  /** The checked-out repository. */
  folder: string
  commit: string
}

export interface FetchOptions {
  /** `github.com`, or the beginning of a URL. */
  instance: string
  /** Folder to create. */
  into: string
  /** The server's environment, for proxies and certificates. */
  environment: Readonly<Record<string, string>>
  /** Texts to mask in the output of git. */
  secrets: Secrets
  /** Runs git in the launcher: its child processes end with a stop, and at the next start after a crash. */
  capture: Capture
  signal: AbortSignal
}

const PROTOCOLS = ['https', 'http', 'ssh', 'file']

// D631: gha: a repository is fetched for each execution
/** @throws Error that names the repository and the ref */
export async function fetchAction(
  { repository, ref }: RemoteAction,
  { instance, into, environment, secrets, capture, signal }: FetchOptions
): Promise<Fetched> {
  const base = (instance.includes('://') ? instance : `https://${instance}`).replace(/\/+$/, '')
  if (!PROTOCOLS.includes(base.split(':', 1)[0] ?? ''))
    throw new Error(`config.githubInstance: wanted a host, or a URL of ${PROTOCOLS.join(', ')}`)
  const url = `${base}/${repository}`
  const env = {
    ...environment,
    GIT_TERMINAL_PROMPT: '0',
    GIT_ALLOW_PROTOCOL: PROTOCOLS.join(':'),
    LC_ALL: 'C'
  }
  const git = async (...args: string[]): Promise<string> => {
    const argv = ['git', '-c', 'core.hooksPath=/dev/null', ...args]
    const { exitCode, cause, stdout, stderr } = await capture({ argv, cwd: '/', env, secrets, signal })
    signal.throwIfAborted()
    if (exitCode !== 0) throw new Error(reasonOf(exitCode, stderr) || `git: ${cause}`)
    return stdout
  }
  try {
    await git('init', '--quiet', '--template=', into)
    await git('-C', into, 'fetch', '--quiet', '--depth', '1', '--no-tags', url, ref)
    await git('-C', into, '-c', 'advice.detachedHead=false', 'checkout', '--quiet', 'FETCH_HEAD')
    return { folder: into, commit: (await git('-C', into, 'rev-parse', 'HEAD')).trim() }
  } catch (cause) {
    signal.throwIfAborted()
    throw new Error(`the action ${repository}@${ref} cannot be fetched from ${shown(base)}: ${messageOf(cause)}`, {
      cause
    })
  }
}

/** The name of the action file in a folder; undefined: there is none. */
export const actionFile = (folder: string): string | undefined =>
  ['action.yml', 'action.yaml'].map((name) => join(folder, name)).find((path) => existsSync(path))

/** The URL without credentials. */
const shown = (url: string): string => url.replace(/\/\/[^/@]*@/, '//')

/** Exit code of the launcher's shell for a missing program. */
const NOT_FOUND = 127

function reasonOf(exitCode: number, stderr: string): string {
  if (exitCode === NOT_FOUND) return 'git is not installed: it is needed to fetch actions'
  if (/couldn't find remote ref|not our ref/.test(stderr))
    return 'there is no such branch, tag or whole commit id there'
  return stderr.trim().split('\n').map(shown).join('; ')
}
