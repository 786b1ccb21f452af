/** Executors as a host application would write them: one with a service, one that does whatever a test wants. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { defineExecutor } from '../../../src/index.ts'

/** `redis` steps: the words are one command of Redis, its answer is the output. As a host application would write it. */
export const redis = defineExecutor({
  type: 'redis',
  config: {
    url: { is: 'text', required: true },
    timeout: { is: 'number' },
    verbose: { is: 'flag' },
    keys: { is: 'texts' },
    labels: { is: 'map' }
  },
  validate: ({ command, argv }) => (command || argv ? [] : ['redis executor requires a command of Redis']),
  async execute({ config, words, stdout, stderr, stop }) {
    // The types of the settings are known here: this file would not compile otherwise.
    const url: URL = new URL(config.url)
    const timeout: number | undefined = config.timeout
    const keys: string[] = config.keys ?? []
    if (config.verbose) stderr.write(`asking within ${timeout ?? 'any'} s\n`)
    const socket = connect(Number(url.port), url.hostname)
    try {
      await once(socket, 'connect', { signal: stop })
      const all = [...words, ...keys]
      socket.write(`*${all.length}\r\n${all.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join('')}`)
      const [answer] = (await once(socket, 'data', { signal: stop })) as [Buffer]
      const text = answer.toString()
      if (text.startsWith('-')) throw new Error(`Redis says: ${text.slice(1).trim()}`)
      stdout.write('asked\n')
      const value = text.startsWith('$') ? text.split('\r\n')[1] : text.slice(1).trim()
      return { exitCode: 0, output: `${value}\n` }
    } finally {
      socket.destroy()
    }
  }
})

/** Whatever a test wants. */
export const odd = defineExecutor({
  type: 'odd',
  config: { labels: { is: 'map' } },
  reads: 'text',
  async execute({ config, command, script, env, workingDir, stepName, stdout, stop, kill }) {
    if (command === 'fails') throw new Error('wanted fruit, found stone')
    if (command === 'throws like an error') throw { message: 'wanted bread, found stone' }
    if (command === 'throws no text') throw Object.create(null)
    if (command === 'code') return 7
    if (command === 'nonsense') return -1.5
    if (command === 'code as text') return { exitCode: '0' as unknown as number, output: '' }
    if (command === 'no code') return { output: 'x' } as unknown as undefined
    if (command?.startsWith('code ')) return Number(command.slice(5))
    if (command === 'null') return null as unknown as undefined // as from JavaScript
    if (command === 'odd output') return { exitCode: 0, output: 5 as unknown as string }
    if (command === 'pairs') return void stdout.write(JSON.stringify(config.labels))
    if (command === 'waits' || command === 'is deaf') {
      stdout.write('up\n')
      await once(command === 'waits' ? stop : kill, 'abort')
      throw new Error('never seen')
    }
    if (command === 'pipes what breaks off') return pipeline(Readable.from(breaksOff()), stdout)
    if (command === 'pipes without end') return pipeline(Readable.from(goesOn()), stdout, { signal: stop })
    if (command === 'writes too late') return void setImmediate(() => stdout.write('late'))
    if (command === 'much')
      for (let at = 0; at < 64; at++) if (!stdout.write('x'.repeat(1e6))) await once(stdout, 'drain')
    stdout.write(`${stepName}|${command}|${script}|${env.OWN}|${workingDir.length > 0}`)
  }
})

async function* breaksOff() {
  yield 'one\n'
  yield 'two\n'
  throw new Error('the source broke off')
}
async function* goesOn() {
  yield 'up\n'
  await new Promise(() => {})
}
