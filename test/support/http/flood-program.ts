/**
 * A program that keeps sending requests with well-formed but made-up credentials. Arguments: the service's
 * URL, the kind of credential, the client address to claim, and the number of connections. For each input
 * line it writes one line: how many responses had which status. A broken connection counts as "broken".
 */
import { connect } from "node:net"
import { createInterface } from "node:readline"
import { newToken } from "../../../src/secrets/token.ts"
import type { Flood } from "./flood.ts"

const [url = "", kind = "", address = "", connections = ""] = process.argv.slice(2)

const requests: Readonly<Record<Flood["kind"], () => string>> = {
  "platform keys": () =>
    `GET /api/kyc/sessions/x HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: ${address}\r\nX-Api-Key: ${newToken("dlk_")}\r\n\r\n`,
  "marketplace keys": () =>
    `GET /gateway/a/b/v/1/c HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: ${address}\r\nX-Api-Key: ${newToken("dk_live_")}\r\n\r\n`,
  "session tokens": () =>
    `GET /api/kyc/public/sessions/${crypto.randomUUID()}?token=${newToken("kyc_sess_")} HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: ${address}\r\n\r\n`
}

const makeUp = requests[kind as Flood["kind"]]
const counts: Record<string, number> = {}

const count = (what: string) => {
  counts[what] = (counts[what] ?? 0) + 1
}

const flood = () => {
  const { hostname, port } = new URL(url)
  let received = ""
  const socket = connect(Number(port), hostname, () => socket.write(makeUp()))
  socket.setNoDelay(true)
  socket.setEncoding("latin1")
  socket.on("data", (chunk: string) => {
    received += chunk
    const end = received.indexOf("\r\n\r\n")
    if (end === -1) return
    const length = Number(/\r\ncontent-length: *(\d+)/i.exec(received)?.[1] ?? 0)
    if (received.length < end + 4 + length) return
    count(received.slice(9, 12))
    received = ""
    socket.write(makeUp())
  })
  socket.on("error", () => {})
  socket.on("close", () => count("broken"))
}

for (let i = 0; i < Number(connections); i++) flood()

createInterface({ input: process.stdin })
  .on("line", () => process.stdout.write(`${JSON.stringify(counts)}\n`))
  .on("close", () => process.exit(0))
