/** Builds the text of a mail. Used by `mail` steps and by notifications. Source: execution-semantics 10.6.4-10.6.6. */
import { codeOf, messageOf } from '../../errors.ts'
import { openNamed } from '../frame/named-file.ts'
import { type Mailbox, oneLine } from './addresses.ts'

export interface Mail {
  from: Mailbox
  /** At least one. */
  to: Mailbox[]
  subject: string
  text: string
  /** Content type of the unchanged text; absent: the text is html, or is converted to it. */
  contentType?: string
  attachments: Attachment[]
}

export interface Attachment {
  name: string
  content: Buffer
  /** Absent: derived from the name. */
  contentType?: string
}

/** Greatest size of all attachments of a mail, bytes. */
const MAX_ATTACHMENT_BYTES = 32 * 1_048_576

/** Newlines become html line breaks, unless the text is a complete html document. */
export const htmlOf = (text: string): string =>
  /^\s*<!doctype html/i.test(text) ? text : text.replace(/\r\n|\r|\n/g, '<br />')

/**
 * Reads files to attach; one that is missing, empty or not regular is skipped with the reason.
 * @throws Error when they are too large together
 */
export async function readAttachments(
  files: { path: string; name: string; contentType?: string }[]
): Promise<{ attachments: Attachment[]; skipped: { path: string; reason: string }[] }> {
  const attachments: Attachment[] = []
  const skipped: { path: string; reason: string }[] = []
  let total = 0
  for (const { path, ...rest } of files) {
    const content = await contentOf(path, MAX_ATTACHMENT_BYTES - total)
    if (typeof content === 'string') skipped.push({ path, reason: content })
    else {
      total += content.length
      attachments.push({ ...rest, content })
    }
  }
  return { attachments, skipped }
}

/** The bytes, or the reason why there are none. */
async function contentOf(path: string, room: number): Promise<Buffer | string> {
  let file: Awaited<ReturnType<typeof openNamed>>
  try {
    file = await openNamed(path)
  } catch (error) {
    return codeOf(error) === 'ENOENT' ? 'there is no such file' : messageOf(error)
  }
  try {
    const stat = await file.stat()
    if (!stat.isFile()) return 'it is no file'
    if (stat.size === 0) return 'it is empty'
    if (stat.size > room) throw new Error(`the attachments are larger than ${MAX_ATTACHMENT_BYTES} bytes together`)
    return await file.readFile()
  } finally {
    await file.close()
  }
}

/** The envelope and the complete message. */
export interface Composed {
  envelope: { from: string | false; to: string[] }
  message: Buffer
}

export async function compose(mail: Mail): Promise<Composed> {
  const { default: MimeNode } = await import('nodemailer/lib/mime-node')
  const root = new MimeNode('multipart/mixed')
  root.setHeader({ From: mail.from, To: mail.to, Subject: oneLine(mail.subject) })
  const html = mail.contentType === undefined
  const body = root.createChild(html ? 'text/html; charset=utf-8' : withCharset(oneLine(mail.contentType ?? '')))
  body.setHeader('Content-Transfer-Encoding', 'base64')
  body.setContent(Buffer.from(html ? htmlOf(mail.text) : mail.text))
  for (const { name, content, contentType } of mail.attachments) {
    const part = root.createChild(contentType, { filename: name })
    part.setHeader('Content-Disposition', 'attachment')
    part.setHeader('Content-Transfer-Encoding', 'base64')
    part.setContent(content)
  }
  return { envelope: root.getEnvelope(), message: await root.build() }
}

const withCharset = (type: string): string =>
  /^text\//i.test(type) && !/charset=/i.test(type) ? `${type}; charset=utf-8` : type
