/** One server of an engine, alone in a temporary home: fresh for every question, its processes end after it. */
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../support/free-port.ts'
import { apiClient, type Client } from './client.ts'
import type { Engine } from './engines.ts'
import { removedAtTheEnd } from './leaving.ts'
import { type ProcessTree, processTree } from './processes.ts'
import { until } from './waiting.ts'

export interface Server {
  client: Client
  /** On 127.0.0.1. */
  port: number
  /** Its home, and `$HOME` of its processes. */
  home: string
  tree: ProcessTree
  /** Of the server's own process. */
  pid: number
  version: string
  /** From the spawn to the first 200 of /health, in ms. */
  startedInMs: number
  /** Kills every process of it. Its home is removed when the benchmark ends. */
  end(): void
}

const NOT_HEALTHY_MS = 30_000

/**
 * Starts a server that finds `definitions` (text by file name), and what `prepare` has put into its home.
 * @throws Error with the end of its log when it fails
 */
export async function startServer(
  engine: Engine,
  definitions: Record<string, string>,
  prepare?: (place: { home: string; dags: string }) => Promise<void>
): Promise<Server> {
  const mark = { name: `${engine.prefix}BENCH_TREE`, value: randomUUID() }
  const tree = processTree(`${mark.name}=${mark.value}`)
  const port = await freePort()
  const client = apiClient(port)
  const home = mkdtempSync(join(tmpdir(), 'troupe-bench-'))
  // Homes stay until all questions are asked: where file systems keep clear of inodes deleted a moment ago, removing
  // thousands of files would make each file that the next server creates dearer.
  removedAtTheEnd(() => rmSync(home, { recursive: true, force: true, maxRetries: 5 }))
  const end = removedAtTheEnd(() => {
    client.close()
    tree.kill()
  })
  try {
    const dags = join(home, 'dags')
    mkdirSync(dags)
    for (const [name, text] of Object.entries(definitions)) writeFileSync(join(dags, `${name}.yaml`), text)
    await prepare?.({ home, dags })
    const { command, args, env } = engine.server({ home, dags, port })
    const log = openSync(join(home, 'bench-server.log'), 'a')
    const begun = performance.now()
    const child = spawn(command, args, {
      cwd: home,
      detached: true, // its own session, by which its processes are found
      stdio: ['ignore', log, log],
      env: {
        ...settingsFor(engine),
        ...env,
        PATH: process.env.PATH,
        HOME: home,
        SHELL: '/bin/sh',
        [mark.name]: mark.value
      }
    })
    closeSync(log)
    let failed = ''
    child.on('error', (cause) => (failed = cause.message))
    child.on('exit', (code, signal) => (failed = `ended with ${signal ?? code}`))
    const version = await until(`${engine.name} to be healthy`, NOT_HEALTHY_MS, () => {
      if (failed)
        throw new Error(`${engine.name} ${failed}: ${readFileSync(join(home, 'bench-server.log'), 'utf8').slice(-600)}`)
      return client.health()
    })
    const startedInMs = performance.now() - begun
    return { client, home, port, tree, pid: child.pid ?? 0, version, startedInMs, end }
  } catch (cause) {
    end()
    throw cause
  }
}

/** Those of the caller's settings that are to be compared. No others: they may name folders that are in use. */
const settingsFor = ({ settings }: Engine) =>
  Object.fromEntries(settings.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])))
