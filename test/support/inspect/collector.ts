/**
 * A receiver of OTLP over HTTP or gRPC, with its own reader of protobuf: nothing is checked against the code that wrote it.
 * Source: OTLP 1.x, opentelemetry/proto/trace/v1/trace.proto; protobuf "Encoding".
 */
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { Server, ServerCredentials } from '@grpc/grpc-js'
import { eventually } from '../waiting.ts'

export interface Span {
  traceId: string
  spanId: string
  /** Empty: it is the top of its trace. */
  parentSpanId: string
  traceState: string
  name: string
  /** As the wire has it: 1 is internal. */
  kind: number
  /** Epoch ms. */
  start: number
  end: number
  attributes: Record<string, string | number>
  /** 0 unset, 2 error. */
  status: { code: number; message: string }
  resource: Record<string, string | number>
  scope: string
}

export interface Collector {
  /** `http://...` or `host:port`. */
  endpoint: string
  spans: Span[]
  requests: { path: string; headers: IncomingHttpHeaders }[]
  /** All that was received. */
  bytes: Buffer[]
  close(): Promise<void>
}

/** One field of a message: a number for varints and fixed widths, bytes for what has a length. */
interface WireField {
  number: number
  value: bigint | Buffer
}

/** Bytes of the wire types of fixed width. */
const FIXED: Record<number, number> = { 1: 8, 5: 4 }
const littleEndian = (bytes: Buffer): bigint => bytes.reduceRight((value, byte) => (value << 8n) | BigInt(byte), 0n)

function fieldsOf(bytes: Buffer): WireField[] {
  const fields: WireField[] = []
  let at = 0
  const varint = (): bigint => {
    let value = 0n
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes.readUInt8(at++)
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
  }
  while (at < bytes.length) {
    const tag = Number(varint())
    const type = tag & 7
    if (type === 0) {
      fields.push({ number: tag >> 3, value: varint() })
      continue
    }
    const length = type === 2 ? Number(varint()) : FIXED[type]
    if (length === undefined) throw new Error(`wire type ${type} is not known`)
    const value = bytes.subarray(at, at + length)
    if (value.length !== length) throw new Error('a field is cut off')
    at += length
    fields.push({ number: tag >> 3, value: type === 2 ? value : littleEndian(value) })
  }
  return fields
}

const all = (bytes: Buffer, number: number): Buffer[] =>
  fieldsOf(bytes).flatMap((field) => (field.number === number && Buffer.isBuffer(field.value) ? [field.value] : []))
const bytesOf = (bytes: Buffer, number: number): Buffer => all(bytes, number).at(-1) ?? Buffer.alloc(0)
const textOf = (bytes: Buffer, number: number): string => bytesOf(bytes, number).toString('utf8')
function numberOf(bytes: Buffer, number: number): bigint {
  const found = fieldsOf(bytes).findLast((field) => field.number === number)?.value
  return typeof found === 'bigint' ? found : 0n
}

/** `KeyValue` messages; values are texts (1) or integers (3). */
const attributesOf = (pairs: Buffer[]): Record<string, string | number> =>
  Object.fromEntries(
    pairs.map((pair) => {
      const [value] = fieldsOf(bytesOf(pair, 2))
      if (!value || (value.number !== 1 && value.number !== 3)) throw new Error('an attribute of an unexpected kind')
      return [textOf(pair, 1), Buffer.isBuffer(value.value) ? value.value.toString('utf8') : Number(value.value)]
    })
  )

/** @param request an `ExportTraceServiceRequest` */
export const spansIn = (request: Buffer): Span[] =>
  all(request, 1).flatMap((resourceSpans) => {
    const resource = attributesOf(all(bytesOf(resourceSpans, 1), 1))
    return all(resourceSpans, 2).flatMap((scopeSpans) =>
      all(scopeSpans, 2).map((span) => ({
        traceId: bytesOf(span, 1).toString('hex'),
        spanId: bytesOf(span, 2).toString('hex'),
        traceState: textOf(span, 3),
        parentSpanId: bytesOf(span, 4).toString('hex'),
        name: textOf(span, 5),
        kind: Number(numberOf(span, 6)),
        start: Number(numberOf(span, 7) / 1_000_000n),
        end: Number(numberOf(span, 8) / 1_000_000n),
        attributes: attributesOf(all(span, 9)),
        status: { code: Number(numberOf(bytesOf(span, 15), 3)), message: textOf(bytesOf(span, 15), 2) },
        resource,
        scope: textOf(bytesOf(scopeSpans, 1), 1)
      }))
    )
  })

/** @param tls key and certificate: HTTPS */
export async function httpCollector(tls?: { key: string; cert: string }): Promise<Collector> {
  const collector = opened()
  const answer: RequestListener = (request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      collector.requests.push({ path: request.url ?? '', headers: request.headers })
      collector.take(Buffer.concat(chunks))
      response.writeHead(200, { 'Content-Type': 'application/x-protobuf' }).end()
    })
  }
  const server = tls ? createTlsServer(tls, answer) : createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return Object.assign(collector, {
    endpoint: `${tls ? 'https' : 'http'}://127.0.0.1:${port}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
  })
}

const PATH = '/opentelemetry.proto.collector.trace.v1.TraceService/Export'

/** gRPC in plain text. Messages reach us as bytes. */
export async function grpcCollector(): Promise<Collector> {
  const collector = opened()
  const server = new Server()
  const asTheyAre = (bytes: Buffer) => bytes
  server.addService(
    {
      export: {
        path: PATH,
        requestStream: false,
        responseStream: false,
        requestSerialize: asTheyAre,
        requestDeserialize: asTheyAre,
        responseSerialize: asTheyAre,
        responseDeserialize: asTheyAre
      }
    },
    {
      export(call: { request: Buffer; metadata: { getMap(): object } }, done: (error: null, answer: Buffer) => void) {
        collector.requests.push({ path: PATH, headers: { ...call.metadata.getMap() } as IncomingHttpHeaders })
        collector.take(call.request)
        done(null, Buffer.alloc(0))
      }
    }
  )
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound)
    )
  )
  return Object.assign(collector, { endpoint: `127.0.0.1:${port}`, close: async () => server.forceShutdown() })
}

function opened() {
  const spans: Span[] = []
  const requests: Collector['requests'] = []
  const bytes: Buffer[] = []
  return {
    spans,
    requests,
    bytes,
    take(body: Buffer) {
      bytes.push(body)
      spans.push(...spansIn(body))
    }
  }
}

export const spansOf = (collector: Collector, count: number): Promise<Span[]> =>
  eventually(`${count} spans`, () => (collector.spans.length >= count ? collector.spans : undefined))
/** The only span of that name. */
export const named = (spans: Span[], name: string): Span => {
  const found = spans.filter((span) => span.name === name)
  if (found[0] && found.length === 1) return found[0]
  throw new Error(`wanted one span "${name}" among ${spans.map((span) => span.name).join(', ')}`)
}
