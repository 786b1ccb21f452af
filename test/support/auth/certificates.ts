/** Certificates, self-signed or of an authority, made for each test: Node can sign, but has no words for X.509. Source: RFC 5280 4.1. */
import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

const der = (tag: number, ...parts: Buffer[]): Buffer => {
  const body = Buffer.concat(parts)
  const { length } = body
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), body])
}
const sequence = (...parts: Buffer[]) => der(0x30, ...parts)
const oid = (hex: string) => der(0x06, Buffer.from(hex, 'hex'))
const text = (value: string) => der(0x0c, Buffer.from(value))
const bits = (bytes: Buffer) => der(0x03, Buffer.from([0]), bytes)

const ECDSA_WITH_SHA256 = sequence(oid('2a8648ce3d040302'))
const COMMON_NAME = '550403'
const SUBJECT_ALT_NAME = '551d11'
const BASIC_CONSTRAINTS = '551d13'

/** In PEM. */
export interface Certificate {
  cert: string
  key: string
}
/** What signs others. */
interface Issuer {
  name: Buffer
  key: KeyObject
}

const nameOf = (name: string) => sequence(der(0x31, sequence(oid(COMMON_NAME), text(name))))
const extension = (id: string, value: Buffer) => sequence(oid(id), der(0x04, value))
const IS_AUTHORITY = extension(BASIC_CONSTRAINTS, sequence(der(0x01, Buffer.from([0xff]))))

/** Good for 127.0.0.1 until 2049, and its issuer. @param issuer absent: it signs itself */
function made(name: string, more: Buffer[] = [], issuer?: Issuer): Certificate & { self: Issuer } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const self = { name: nameOf(name), key: privateKey }
  const by = issuer ?? self
  const validity = sequence(der(0x17, Buffer.from('200101000000Z')), der(0x17, Buffer.from('491231235959Z')))
  const address = extension(SUBJECT_ALT_NAME, sequence(der(0x87, Buffer.from([127, 0, 0, 1]))))
  const toSign = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1, ...randomBytes(6)])),
    ECDSA_WITH_SHA256,
    by.name,
    validity,
    self.name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(address, ...more))
  )
  const whole = sequence(toSign, ECDSA_WITH_SHA256, bits(sign('sha256', toSign, by.key)))
  const lines = whole.toString('base64').replace(/.{64}/g, '$&\n')
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    self
  }
}

/** A certificate and its key, good for 127.0.0.1. */
export function selfSigned(name: string): Certificate {
  const { cert, key } = made(name)
  return { cert, key }
}

/** An authority, and a function that makes certificates of it. */
export function authority(name: string): { cert: string; issue(name: string): Certificate } {
  const { cert, self } = made(name, [IS_AUTHORITY])
  return { cert, issue: (name) => made(name, [], self) }
}
