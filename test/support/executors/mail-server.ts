/** A real SMTP server on loopback, and the mails that reached it, taken apart. */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'

/** One mail. */
export interface Arrived {
  from: string
  to: string[]
  /** Who signed in; empty: nobody. */
  user: string
  /** It came over TLS. */
  secure: boolean
  /** All of it, as it came. */
  raw: string
  subject: string
  /** The html, decoded. */
  html: string
  attachments: { name: string; type: string; text: string }[]
}

export interface MailServer {
  port: number
  arrived: Arrived[]
  close(): Promise<void>
}

/** `me` with the password `secret` may sign in. @param options of smtp-server; STARTTLS needs `key` and `cert` */
export async function mailServer(options: SMTPServerOptions = { hideSTARTTLS: true }): Promise<MailServer> {
  const arrived: Arrived[] = []
  const server = new SMTPServer({
    authOptional: true,
    onAuth({ username, password, method }, _, done) {
      if (username === 'me' && password === 'secret' && method === 'PLAIN') done(null, { user: username })
      else done(new Error('wrong name or password'))
    },
    onData(stream, { envelope: { mailFrom, rcptTo }, user, secure }, done) {
      let raw = ''
      stream.setEncoding('utf8').on('data', (chunk: string) => {
        raw += chunk
      })
      stream.on('end', () => {
        const from = mailFrom ? mailFrom.address : ''
        arrived.push({ from, to: rcptTo.map(({ address }) => address), user: user || '', secure, raw, ...partsOf(raw) })
        done()
      })
    },
    ...options
  })
  server.on('error', () => {}) // a client that hangs up
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  const { port } = server.server.address() as AddressInfo
  return { port, arrived, close: () => new Promise((resolve) => server.close(() => resolve())) }
}

/** Headers by lower-case name, unfolded. */
function headersOf(text: string): Map<string, string> {
  const lines = text.replace(/\r\n[ \t]+/g, ' ').split('\r\n')
  return new Map(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)])
  )
}

function partsOf(raw: string): Pick<Arrived, 'subject' | 'html' | 'attachments'> {
  const [head = ''] = raw.split('\r\n\r\n', 1)
  const headers = headersOf(head)
  const [, boundary = ''] = /boundary="([^"]+)"/.exec(headers.get('content-type') ?? '') ?? []
  const parts = raw
    .split(`--${boundary}`)
    .slice(1, -1)
    .map((part) => {
      const at = part.indexOf('\r\n\r\n')
      const own = headersOf(part.slice(2, at))
      const [, name = ''] = /filename="?([^";]+)/.exec(own.get('content-disposition') ?? '') ?? []
      const [type = ''] = (own.get('content-type') ?? '').split(';')
      return { name, type, text: Buffer.from(part.slice(at), 'base64').toString() }
    })
  const [body, ...attachments] = parts
  return { subject: headers.get('subject') ?? '', html: body?.text ?? '', attachments }
}

/** Cells of the table of nodes, row by row. */
export const rowsIn = (html: string): string[][] =>
  Array.from(html.slice(html.lastIndexOf('<table')).matchAll(/<tr>(.*?)<\/tr>/g), ([, row = '']) =>
    Array.from(row.matchAll(/<t[dh][^>]*>(.*?)<\/t[dh]>/g), ([, cell = '']) => cell)
  )
