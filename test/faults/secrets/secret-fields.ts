/** Every field of a step that may name a secret, as a step of one definition. Each fails or ends by itself, without a network. */

/** Members of a step; `T` and `F` are its secrets, from the environment and from a file. */
export interface Field {
  name: string
  step: Record<string, unknown>
}

/** What else answers: a port on this machine that echoes its input, and one without a listener. */
export interface Places {
  echo: number
  closed: number
}

const fails = { continueOn: { failure: true, skipped: true } }

export function secretFields({ echo, closed }: Places): Field[] {
  const field = (name: string, step: Record<string, unknown>): Field => ({ name, step: { name, ...fails, ...step } })
  const url = `http://127.0.0.1:${echo}`
  const [host, port] = ['127.0.0.1', String(closed)]
  return [
    field('command', { command: 'echo "$T ${T} $F"; echo "$F" >&2' }),
    field('script', { script: 'echo "$T"\nprintf "%s\\n" "$F" >&2\nexit 3' }),
    field('interpreter', { command: 'sh', script: 'echo "${T}"; set -x; test "$F"' }),
    field('args', { command: 'echo', args: ['${T}', '$F'] }),
    field('pieces', { command: 'printf %s "${T%????}"; sleep 0.1; echo "${T#"${T%????}"}"' }),
    field('output', { command: 'echo "{\\"a\\": \\"$T\\"}"; echo "$F"', output: 'OUT' }),
    field('output-used', { depends: ['output'], command: 'echo "${OUT}" >&2; exit 1' }),
    field('output-quoted', { depends: ['output'], command: "echo '${OUT}'" }),
    field('output-in-params', { depends: ['output'], call: 'kid', params: 'P=${OUT}' }),
    field('env', { env: [{ E: '<${T}>' }, { G: '`echo $F; echo $T >&2; exit 1`' }], command: 'echo "$E $G"' }),
    field('env-in-output', { env: [{ E: 'x${T}' }], command: 'echo "${E}"', output: 'ENVOUT' }),
    field('env-with-odd-name', { env: [{ 'a-b': '${T}' }], command: 'env' }),
    field('error', { env: [{ E: '${NONE:?${T}}' }], command: 'true' }),
    field('dir', { dir: '/none/${T}', command: 'pwd' }),
    field('working-dir', { workingDir: '${F}', command: 'pwd' }),
    field('shell', { shell: ['sh', '-c', 'echo ${T}'], command: 'echo "$T"' }),
    field('stdout', { command: 'echo "$T"', stdout: 'copy.out', stderr: 'copy.err' }),
    field('condition', { preconditions: [{ condition: '${T}', expected: 'other' }], command: 'true' }),
    field('expected', { preconditions: [{ condition: 'x', expected: '${F}' }], command: 'true' }),
    field('condition-command', { preconditions: [{ condition: 'echo "$T" >&2; test "$F" = x' }], command: 'true' }),
    field('retry', { command: 'echo "$T"; exit 1', retryPolicy: { limit: 1, intervalSec: 0 } }),
    field('retry-limit', { command: 'true', retryPolicy: { limit: '${T}', intervalSec: 0 } }),
    field('repeat', {
      command: 'echo "$F"',
      repeatPolicy: { repeat: 'until', condition: '${T}', expected: 're:.', intervalSec: 0, limit: 2 }
    }),
    field('continue', { command: 'echo "$T"; exit 1', continueOn: { output: ['re:.*'] } }),
    field('timeout', { command: 'echo "$T"; sleep 5', timeoutSec: 1 }),
    field('call', { call: '${T}' }),
    field('call-params', { call: 'kid', params: 'P=${T} Q="${F}"' }),
    field('items', { call: 'kid', parallel: { items: ['${T}', 'b'] }, params: 'P=${ITEM}' }),
    field('http-url', { executor: { type: 'http', config: { timeout: 5 } }, command: `GET ${url}/x?q=\${F}` }),
    field('http-headers', {
      executor: {
        type: 'http',
        config: {
          headers: { Authorization: 'Bearer ${T}', X: '${F}' },
          query: { q: '${T}' },
          debug: true,
          body: '${F}'
        }
      },
      command: `POST ${url}/echo`,
      output: 'ECHO'
    }),
    field('http-closed', {
      executor: { type: 'http', config: {} },
      command: `GET http://u:\${T}@127.0.0.1:${closed}/\${F}`
    }),
    field('jq', { executor: { type: 'jq', config: { raw: true } }, command: '.a, error(.a)', script: '{"a": "${T}"}' }),
    field('jq-filter', { executor: 'jq', command: '.${T}"', script: '{}' }),
    field('archive', {
      executor: { type: 'archive', config: { source: '/none/${T}', destination: '${F}.tar' } },
      command: 'create'
    }),
    field('mail', {
      executor: {
        type: 'mail',
        config: { from: '${T}@a.b', to: 'c@d.e', subject: '${T}', message: '${F}', attachments: ['${T}'] }
      }
    }),
    field('ssh', {
      executor: { type: 'ssh', config: { host, port, user: '${T}', password: '${F}' } },
      command: 'echo "${T}"'
    }),
    field('ssh-host', {
      executor: { type: 'ssh', config: { host: '${T}', port, user: 'u', password: '${F}' } },
      command: 'true'
    }),
    field('docker', {
      executor: { type: 'docker', config: { image: 'none/${T}', pull: 'never', container: { env: ['A=${F}'] } } },
      command: 'echo ${T}'
    })
  ]
}

/** The definition that a round runs. */
export const definitionOf = (folder: string, fields: Field[], port: number): string =>
  [
    JSON.stringify({
      name: 'canary',
      type: 'graph',
      workingDir: folder,
      maxActiveRuns: -1,
      secrets: [
        { name: 'T', provider: 'env', key: 'CANARY' },
        { name: 'F', provider: 'file', key: `${folder}/canary.pem` }
      ],
      smtp: { host: '127.0.0.1', port: String(port), username: 'u${T}', password: '${F}' },
      mailOn: { failure: true },
      errorMail: { from: 'a@b.c', to: '${T}@d.e', prefix: '${F}', attachLogs: true },
      handlerOn: {
        failure: { command: 'echo "$T ${F}" >&2; exit 1' },
        exit: { command: 'echo "$F"', output: 'HANDLED' }
      },
      steps: fields.map(({ step }) => step)
    }),
    JSON.stringify({ name: 'kid', params: 'P=x', steps: [{ name: 'k', command: 'echo "$P ${P}" >&2; exit 1' }] })
  ].join('\n---\n')
