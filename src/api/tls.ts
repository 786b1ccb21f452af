/** Certificates of the API, read again on SIGHUP. Source: api-semantics 9.3. */
import { X509Certificate } from 'node:crypto'
import type { Server } from 'node:http'
import { createSecureContext } from 'node:tls'
import type { Tls } from '../config.ts'
import { codeOf, messageOf, TroupeError } from '../errors.ts'
import { NoFile, readRegular } from '../platform/open-regular.ts'

export interface Certificates {
  cert: Buffer
  key: Buffer
  ca?: Buffer
  /** Clients must show a certificate of `ca`. */
  requestCert: boolean
  rejectUnauthorized: boolean
  minVersion: 'TLSv1.2'
}

/** @throws TroupeError bad_request naming the file that is missing or wrong */
export function certificatesOf({ certFile, keyFile, caFile }: Tls): Certificates {
  const certificates: Certificates = {
    cert: readPem('tls.certFile', certFile),
    key: readPem('tls.keyFile', keyFile),
    ...(caFile ? { ca: readAuthorities('tls.caFile', caFile) } : {}),
    requestCert: caFile !== undefined,
    rejectUnauthorized: caFile !== undefined,
    minVersion: 'TLSv1.2'
  }
  try {
    createSecureContext(certificates)
  } catch (cause) {
    const found = messageOf(cause)
    throw new TroupeError('bad_request', `tls: ${certFile} and ${keyFile} cannot be used: ${found}`, { cause })
  }
  return certificates
}

/** @throws TroupeError bad_request naming the setting and what is wrong with its file */
export function readPem(setting: string, file: string): Buffer {
  try {
    return readRegular(file)
  } catch (cause) {
    const found = cause instanceof NoFile ? cause.found : (codeOf(cause) ?? String(cause))
    throw new TroupeError('bad_request', `${setting}: wanted a file that can be read, found ${found} at ${file}`, {
      cause
    })
  }
}

/**
 * Trusted certificates. TLS ignores a file without any, and would then trust nobody.
 * @throws TroupeError as `readPem`
 */
export function readAuthorities(setting: string, file: string): Buffer {
  const pem = readPem(setting, file)
  try {
    if (!pem.includes('-----BEGIN ')) throw new Error('no PEM')
    new X509Certificate(pem)
    return pem
  } catch (cause) {
    throw new TroupeError('bad_request', `${setting}: wanted certificates (PEM), found none in ${file}`, { cause })
  }
}

/** Until the returned function is called. Files that are wrong leave the old certificates in use. */
export function reloadOnHangUp(server: Server, tls: Tls, log?: (message: string, cause: unknown) => void): () => void {
  const reload = () => {
    try {
      // An HTTP server with certificates is one of node:https.
      if ('setSecureContext' in server && typeof server.setSecureContext === 'function')
        server.setSecureContext(certificatesOf(tls))
    } catch (cause) {
      log?.('the certificates stay as they were', cause)
    }
  }
  process.on('SIGHUP', reload)
  return () => void process.off('SIGHUP', reload)
}
