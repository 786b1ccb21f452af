/**
 * Kills the containers that have a label, given as NAME=VALUE. The fence runs it where the worker cannot: with Docker's socket or TCP port
 * only, and with nothing but Node.
 */
import { request } from 'node:http'

const [, , label] = process.argv
const { DOCKER_HOST: host = '' } = process.env
const where = /^tcp:/.test(host)
  ? { host: new URL(host).hostname, port: Number(new URL(host).port || 2375) }
  : { socketPath: host.replace(/^unix:\/\//, '') || '/var/run/docker.sock' }

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

const filters = encodeURIComponent(JSON.stringify({ label: [label], status: ['running', 'paused', 'created'] }))
const found = JSON.parse(await ask('GET', `/containers/json?all=1&filters=${filters}`))
for (const { Id } of found) await ask('POST', `/containers/${Id}/kill?signal=KILL`)
