// Sends the given requests with Node's fetch, its http2, or with undici: a JSON object a line in, one a line out.
import { readFileSync } from 'node:fs'
import { connect } from 'node:http2'
import { createRequire } from 'node:module'
import { createInterface } from 'node:readline'

const [, , mode, modules] = process.argv
const chunk = 16

function* pieces(body) {
  for (let begin = 0; begin < body.length; begin += chunk) yield body.subarray(begin, begin + chunk)
}

async function* piecesInTime(body) {
  yield* pieces(body)
}

function say(response) {
  process.stdout.write(JSON.stringify(response) + '\n')
}

function reasonOf(failure) {
  return `${failure.name}: ${failure.message} ${failure.cause ?? ''}`
}

// Node's own; NODE_EXTRA_CA_CERTS of the environment names the authority.
async function sendWithFetch(order) {
  const response = await fetch(order.origin + order.target, {
    method: order.method,
    headers: order.fields,
    body: order.body === null || !order.chunked ? order.body : piecesInTime(order.body),
    duplex: 'half',
    redirect: 'manual',
  })
  return { status: response.status, fields: [...response.headers], body: await response.text() }
}

const clients = new Map()
let undici

// One client an origin, so that a mirror and the gateway have a connection each.
function clientOf(origin) {
  if (!clients.has(origin)) {
    const client = new undici.Client(origin, {
      pipelining: mode === 'undici-pipelining' ? 8 : 1,
      connect: { ca: readFileSync(process.env.SALLYPORT_AUTHORITY) },
    })
    client.count = 0
    client.on('connect', () => (client.count += 1))
    clients.set(origin, client)
  }
  return clients.get(origin)
}

async function sendWithUndici(order) {
  const response = await clientOf(order.origin).request({
    method: order.method,
    path: order.target,
    headers: order.fields.flat(),
    body: order.body === null || !order.chunked ? order.body : piecesInTime(order.body),
    idempotent: mode === 'undici-pipelining' || undefined,
  })
  const fields = Object.entries(response.headers).flatMap(([name, value]) =>
    [value].flat().map((one) => [name, one])
  )
  return { status: response.statusCode, fields, body: await response.body.text() }
}

const sessions = new Map()

// One connection an origin.
function sessionOf(origin) {
  if (!sessions.has(origin)) {
    const session = connect(origin, { ca: readFileSync(process.env.SALLYPORT_AUTHORITY) })
    session.on('error', () => {}) // each of its streams has it too
    sessions.set(origin, session)
  }
  return sessions.get(origin)
}

function headersOf(order) {
  const headers = { ':method': order.method, ':path': order.target }
  for (const [name, value] of order.fields) {
    const key = name.toLowerCase() === 'host' ? ':authority' : name.toLowerCase()
    headers[key] = key in headers ? [headers[key], value].flat() : value
  }
  return headers
}

function sendWithHttp2(order) {
  return new Promise((resolve, reject) => {
    const stream = sessionOf(order.origin).request(headersOf(order), { endStream: order.body === null })
    const response = { body: '' }
    stream.setEncoding('utf8')
    stream.on('response', (headers) => {
      response.status = headers[':status']
      response.fields = Object.entries(headers).flatMap(([name, value]) =>
        [value].flat().map((one) => [name, String(one)])
      )
    })
    stream.on('data', (piece) => (response.body += piece))
    stream.on('end', () => resolve(response))
    stream.on('error', reject)
    if (order.body !== null) stream.end(order.body)
  })
}

async function responseTo(line, send) {
  const order = JSON.parse(line)
  order.body = order.body === null ? null : Buffer.from(order.body, 'base64')
  try {
    return await send(order)
  } catch (failure) {
    return { failed: reasonOf(failure) }
  }
}

if (mode.startsWith('undici')) undici = createRequire(modules + '/')('undici')
const send = { fetch: sendWithFetch, http2: sendWithHttp2 }[mode] ?? sendWithUndici
let last = Promise.resolve()
for await (const line of createInterface({ input: process.stdin })) {
  const response = responseTo(line, send)
  // Requests that come together are sent together; the responses stay in their order.
  last = last.then(async () => say(await response))
}
await last
for (const client of clients.values()) await client.close()
for (const session of sessions.values()) session.close()
if (undici) say({ connections: [...clients].map(([origin, client]) => [origin, client.count]) })
process.exitCode = 0
