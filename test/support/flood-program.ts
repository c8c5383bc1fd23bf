/**
 * A program that asks over and over with credentials that it makes up, each of which could be one. Arguments: the service's URL,
 * what it makes up, from which address it says it comes, connections, requests a second at most (0: as many as are answered).
 * Writes how many answers of which status it had when its input ends.
 */
import { connect } from "node:net"
import { newToken } from "../../src/secrets/token.ts"
import type { Flood } from "./flood.ts"

const [url = "", kind = "", address = "", connections = "", rate = ""] = process.argv.slice(2)

const requests: Readonly<Record<Flood["kind"], () => string>> = {
  "platform keys": () =>
    `GET /api/kyc/sessions/x HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${address}\r\nX-Api-Key: ${newToken("dlk_")}\r\n\r\n`,
  "marketplace keys": () =>
    `GET /gateway/a/b/v/1/c HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${address}\r\nX-Api-Key: ${newToken("dk_live_")}\r\n\r\n`,
  "session tokens": () =>
    `GET /api/kyc/public/sessions/${crypto.randomUUID()}?token=${newToken("kyc_sess_")} HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${address}\r\n\r\n`
}

const makeUp = requests[kind as Flood["kind"]]
const counts: Record<string, number> = {}
const perConnection = Number(rate) / Number(connections)

const flood = () => {
  const { hostname, port } = new URL(url)
  let due = performance.now()
  let received = ""
  const socket = connect(Number(port), hostname, () => socket.write(makeUp()))
  socket.setNoDelay(true)
  socket.setEncoding("latin1")
  const next = () => {
    if (perConnection === 0) return void socket.write(makeUp())
    due = Math.max(due + 1_000 / perConnection, performance.now() - 1_000)
    const early = due - performance.now()
    if (early <= 0) socket.write(makeUp())
    else setTimeout(() => socket.write(makeUp()), early)
  }
  socket.on("data", (chunk: string) => {
    received += chunk
    const end = received.indexOf("\r\n\r\n")
    if (end === -1) return
    const length = Number(/\r\ncontent-length: *(\d+)/i.exec(received)?.[1] ?? 0)
    if (received.length < end + 4 + length) return
    const status = received.slice(9, 12)
    counts[status] = (counts[status] ?? 0) + 1
    received = ""
    next()
  })
  socket.on("error", () => {})
}

for (let i = 0; i < Number(connections); i++) flood()

process.stdin.resume().on("end", () => {
  process.stdout.write(JSON.stringify(counts), () => process.exit(0))
})
