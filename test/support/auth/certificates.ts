/** Self-signed certificates, made for each test: Node can sign, but has no words for X.509. Source: RFC 5280 4.1. */
import { generateKeyPairSync, sign } from 'node:crypto'

const der = (tag: number, ...parts: Buffer[]): Buffer => {
  const body = Buffer.concat(parts)
  const size = body.length < 0x80 ? [body.length] : [0x82, body.length >> 8, body.length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), body])
}
const sequence = (...parts: Buffer[]) => der(0x30, ...parts)
const oid = (hex: string) => der(0x06, Buffer.from(hex, 'hex'))
const text = (value: string) => der(0x0c, Buffer.from(value))
const bits = (bytes: Buffer) => der(0x03, Buffer.from([0]), bytes)

const ECDSA_WITH_SHA256 = sequence(oid('2a8648ce3d040302'))
const COMMON_NAME = '550403'
const SUBJECT_ALT_NAME = '551d11'

/** A certificate and its key in PEM, good for 127.0.0.1 until 2049. */
export function selfSigned(name: string): { cert: string; key: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const dn = sequence(der(0x31, sequence(oid(COMMON_NAME), text(name))))
  const validity = sequence(der(0x17, Buffer.from('200101000000Z')), der(0x17, Buffer.from('491231235959Z')))
  const address = sequence(der(0x87, Buffer.from([127, 0, 0, 1])))
  const extensions = der(0xa3, sequence(sequence(oid(SUBJECT_ALT_NAME), der(0x04, address))))
  const toSign = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    ECDSA_WITH_SHA256,
    dn,
    validity,
    dn,
    publicKey.export({ type: 'spki', format: 'der' }),
    extensions
  )
  const whole = sequence(toSign, ECDSA_WITH_SHA256, bits(sign('sha256', toSign, privateKey)))
  const lines = whole.toString('base64').replace(/.{64}/g, '$&\n')
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  }
}
