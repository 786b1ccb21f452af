/** The command of a gha step: an action in a repository, or in a folder. Source: execution-semantics 10.9.1, 10.9.4. */

/** An action to fetch. Its folder is `path` inside the repository. */
export interface RemoteAction {
  repository: string
  path: string
  /** Branch, tag or whole commit id. */
  ref: string
}

export type ActionReference = RemoteAction | { local: string }

const REMOTE = /^(?<repository>[\w.-]+\/[\w.-]+)(?<path>(?:\/[\w.-]+)*)@(?<ref>[\w.+/-]+)$/
/** Inside the working directory: it is all that an action sees of this machine. */
const LOCAL = /^\.(?:\/|$)/

export const REFERENCE_REASON = 'wanted one action: owner/repo@ref, owner/repo/path@ref or ./folder'

/** Undefined: not a reference to an action. */
export function actionReference(text: string): ActionReference | undefined {
  if (LOCAL.test(text) && !/\.\.(?:\/|$)/.test(text)) return { local: text }
  const { repository = '', path = '', ref = '' } = REMOTE.exec(text)?.groups ?? {}
  const climbs = `${repository}${path}`.split('/').some((part) => /^\.{1,2}$/.test(part))
  if (repository === '' || ref.startsWith('-') || climbs) return undefined
  return { repository, path: path.slice(1), ref }
}
