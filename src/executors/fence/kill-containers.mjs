/**
 * Kills the containers that have all of some labels, given as NAME=VALUE,NAME=VALUE, and removes those that were only created: whoever has
 * created them may be frozen, and would start them. The fence runs it where the worker cannot: with Docker's socket or TCP port only, and
 * with nothing but Node. Exit code 3: there was none.
 */
import { existsSync } from 'node:fs'
import { request } from 'node:http'
import { homedir } from 'node:os'
import { join } from 'node:path'

const [, , labels = ''] = process.argv
const NONE = 3

/** Docker as the executor finds it; TLS and SSH are out of reach. */
function whereIsDocker({ DOCKER_HOST: host = '', HOME: home = homedir() }) {
  if (host === '' || host.startsWith('unix://')) {
    const own = join(home, '.docker', 'run', 'docker.sock')
    const socket = host.slice('unix://'.length) || (existsSync(own) ? own : '/var/run/docker.sock')
    return { socketPath: socket }
  }
  const { hostname, port } = new URL(host.includes('://') ? host : `tcp://${host}`)
  return { host: hostname, port: Number(port || 2375) }
}
const where = whereIsDocker(process.env)

const ask = (method, path) =>
  new Promise((resolve, reject) => {
    const asked = request({ ...where, method, path, timeout: 10_000 }, (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (part) => {
        text += part
      })
      answer.on('end', () => resolve(text))
    })
    asked.on('timeout', () => asked.destroy(new Error('Docker does not answer')))
    asked.on('error', reject)
    asked.end()
  })

const filters = encodeURIComponent(
  JSON.stringify({ label: labels.split(','), status: ['running', 'paused', 'restarting', 'created'] })
)
const found = JSON.parse(await ask('GET', `/containers/json?all=1&filters=${filters}`))
for (const { Id, State } of found)
  if (State === 'created') await ask('DELETE', `/containers/${Id}?force=1&v=1`)
  else await ask('POST', `/containers/${Id}/kill?signal=KILL`)
if (found.length === 0) process.exitCode = NONE
