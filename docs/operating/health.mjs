/**
 * HEALTHCHECK of the container image: exit code 0 when the server there is live. It asks over the socket in the home, so it needs no
 * credential, and neither port nor certificate matters. A worker or a coordinator is as healthy as its process is there.
 */
import { readFileSync } from 'node:fs'
import { get } from 'node:http'
import { join } from 'node:path'

const SERVERS = ['start-all', 'server', 'scheduler']
const LIMIT_MS = 8_000
const { ENGINE_HOME: home = '/var/lib/troupe', ENGINE_BASE_PATH: base = '' } = process.env
const { ENGINE_DATA_DIR: data = join(home, 'data') } = process.env

const words = readFileSync('/proc/1/cmdline', 'utf8').split('\0')
if (words.some((word) => SERVERS.includes(word))) {
  const request = get({ socketPath: join(data, 'troupe.sock'), path: `${base}/api/v2/health/live`, timeout: LIMIT_MS })
  request.on('timeout', () => request.destroy(new Error(`no answer within ${LIMIT_MS / 1_000} s`)))
  request.on('error', (error) => end(1, error.message))
  request.on('response', (answer) => {
    answer.setEncoding('utf8')
    let text = ''
    answer.on('data', (part) => {
      text += part
    })
    // Any other answer than that it is dead says that it is live, such as 404 below a base path of the settings file.
    answer.on('end', () => end(answer.statusCode === 503 ? 1 : 0, text.trim()))
  })
} else end(0, 'no server')

function end(code, said) {
  console.log(said)
  process.exit(code)
}
