/** Sends a mail to a mail server. Used by `mail` steps and by notifications. Source: execution-semantics 10.6.6. */
import type { TlsOptions } from 'node:tls'
import type { Smtp } from '../../../machines/vocabulary.ts'
import { type Clock, pause } from '../../clock.ts'
import { messageOf } from '../../errors.ts'
import { compose, type Mail } from './message.ts'

export interface Sending {
  clock: Clock
  /** Ends the connection. */
  signal: AbortSignal
  /** Additional trust, such as a private `ca`. */
  tls?: Pick<TlsOptions, 'ca'>
}

const LIMIT_MS = 30_000
const IMPLICIT_TLS = 465
const PORT = 25
const LOOPBACK = /^(localhost|127(\.\d+){3}|::1)$/

// D608: mail: a password is sent over TLS or to this machine only
/**
 * Sends by SMTP: TLS from the start on port 465, STARTTLS when offered, AUTH PLAIN with a name or a password. A password is
 * only sent over TLS or to this machine.
 * @throws Error with the response of the server, or after 30 s
 */
export async function sendMail(mail: Mail, smtp: Smtp, { clock, signal, tls = {} }: Sending): Promise<void> {
  const { host, username, password } = smtp
  if (!host) throw new Error('smtp is not configured: its host is empty')
  const port = portOf(smtp.port)
  const { envelope, message } = await compose(mail)
  const { default: SMTPConnection } = await import('nodemailer/lib/smtp-connection')
  const withLogin = Boolean(username || password)
  const connection = new SMTPConnection({
    host,
    port,
    secure: port === IMPLICIT_TLS,
    requireTLS: withLogin && port !== IMPLICIT_TLS && !LOOPBACK.test(host),
    connectionTimeout: LIMIT_MS,
    greetingTimeout: LIMIT_MS,
    socketTimeout: LIMIT_MS,
    tls
  })
  const over = new AbortController()
  try {
    const refused = await new Promise<string[]>((resolve, reject) => {
      const next = (step: () => void) => (error?: Error | null) => (error ? reject(error) : step())
      connection.on('error', reject)
      connection.once('end', () => reject(new Error('the mail server closed the connection')))
      signal.addEventListener('abort', () => reject(signal.reason), { once: true, signal: over.signal })
      if (signal.aborted) return reject(signal.reason)
      void pause(clock, LIMIT_MS, over.signal).then(() => {
        reject(new Error(`the mail was not sent within ${LIMIT_MS / 1_000}s`))
      })
      const send = () =>
        connection.send(envelope, message, (error, info) => (error ? reject(error) : resolve(info?.rejected ?? [])))
      connection.connect(
        next(() => {
          if (withLogin)
            connection.login({ method: 'PLAIN', credentials: { user: username, pass: password } }, next(send))
          else send()
        })
      )
    })
    connection.quit()
    if (refused.length > 0) throw new Error(`refused for ${refused.join(', ')}; the mail was sent to the others`)
  } catch (error) {
    throw signal.aborted ? error : new Error(`${host}:${port}: ${messageOf(error)}`, { cause: error })
  } finally {
    over.abort()
    connection.close()
  }
}

function portOf(text: string): number {
  if (!text.trim()) return PORT
  const port = Number(text)
  if (Number.isInteger(port) && port > 0 && port < 65_536) return port
  throw new Error(`smtp.port: wanted a number from 1 to 65535, found "${text}"`)
}
