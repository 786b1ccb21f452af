/**
 * An inspector as its own package describes one (`@statelyai/inspect`, types of 0.7): a WebSocket server that receives actors, events and
 * snapshots, and makes a picture of the actors of them. What it receives must be complete by that description: it is read here, and nowhere
 * in the engine. Source: docs/inspect.md.
 */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { type WebSocket, WebSocketServer } from 'ws'
import { createMachine } from 'xstate'

/** One actor, as an inspector draws it. */
export interface Drawn {
  parent: string | undefined
  root: string
  machine: string
  /** Paths of the active states, outer ones first. */
  states: string[]
  status: string
  context: Record<string, unknown>
  /** Types of the events it was sent, with who sent each. */
  events: { type: string; source: string | undefined }[]
}

/** Members of every record, and those of each kind; the rest may be there or not. */
const COMMON = { rootId: 'string', sessionId: 'string', createdAt: 'string', id: 'string', _version: 'string' }
const KINDS: Record<string, Record<string, string>> = {
  '@xstate.actor': { name: 'string', snapshot: 'object', definition: 'string' },
  '@xstate.event': { event: 'object' },
  '@xstate.snapshot': { event: 'object', snapshot: 'object' }
}

/** The picture that records make, one after another; each is refused with a sentence when an inspector could not use it. */
export function picture() {
  const actors = new Map<string, Drawn>()
  const machines = new Map<string, ReturnType<typeof createMachine>>()
  const ids = new Set<string>()

  // biome-ignore lint/suspicious/noExplicitAny: JSON from outside, checked member by member
  function take(record: any): void {
    const { type, id, sessionId, rootId, parentId, snapshot, event } = record
    const members = KINDS[type]
    if (!members) throw new Error(`no kind of record: ${type}`)
    for (const [name, kind] of Object.entries({ ...COMMON, ...members }))
      expect(typeof record[name], `${type}.${name} of ${sessionId}`).to.equal(kind)
    expect(Number(record.createdAt), 'a time').to.be.greaterThan(0)
    expect(ids.has(id), `the id ${id} comes once`).to.equal(false)
    ids.add(id)
    if (type === '@xstate.actor') {
      if (parentId !== undefined)
        expect(actors.has(parentId), `${parentId} is introduced before ${sessionId}`).to.equal(true)
      const definition = JSON.parse(record.definition)
      machines.set(sessionId, createMachine(definition))
      const known = actors.get(sessionId)
      const fresh = { events: known?.events ?? [], states: [], status: '', context: {} }
      actors.set(sessionId, { parent: parentId, root: rootId, machine: definition.id, ...fresh })
    }
    const drawn = actors.get(sessionId)
    if (!drawn) throw new Error(`${sessionId} was never introduced`)
    expect(rootId, 'the root does not change').to.equal(drawn.root)
    if (type === '@xstate.event') drawn.events.push({ type: event.type, source: record.sourceId })
    if (snapshot) {
      expect(snapshot.status).to.be.oneOf(['active', 'done', 'error', 'stopped'])
      // Throws when the reported chart has no such states.
      const state = machines.get(sessionId)?.resolveState({ value: snapshot.value, context: snapshot.context })
      const paths = (state?._nodes ?? []).map(({ path }) => path.join('.')).filter((path) => path !== '')
      drawn.states = paths.sort((a, b) => a.length - b.length)
      drawn.status = snapshot.status
      drawn.context = snapshot.context
    }
  }
  return { actors, take }
}

/** Listens on this machine. @param wanted its port; 0: any free one */
export async function openInspector(wanted = 0) {
  const server = new WebSocketServer({ port: wanted, host: '127.0.0.1' })
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const drawing = picture()
  const faults: string[] = []
  server.on('connection', (socket: WebSocket) =>
    socket.on('message', (text) => {
      try {
        drawing.take(JSON.parse(String(text)))
      } catch (error) {
        faults.push(String(error))
      }
    })
  )
  return {
    ...drawing,
    /** What it received and could not use. */
    faults,
    port,
    address: `ws://127.0.0.1:${port}`,
    close() {
      for (const client of server.clients) client.terminate()
      server.close()
    }
  }
}
