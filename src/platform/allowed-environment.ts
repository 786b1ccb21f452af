/** Which variables of the server's environment a step may see. Source: execution-semantics 3.5. */
const NAMES = new Set(['PATH', 'HOME', 'LANG', 'TZ', 'SHELL'])
const PREFIXES = ['ENGINE_', 'LC_', 'DAG_']
/** Credentials and addresses of the program itself. */
const NEVER = /^ENGINE_(AUTH_|PEER_|COORDINATOR_|WORKER_KEY_FILE$)/

export const allowedEnvironment = (environment: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(environment).filter(
      ([name]) => (NAMES.has(name) || PREFIXES.some((prefix) => name.startsWith(prefix))) && !NEVER.test(name)
    )
  )
