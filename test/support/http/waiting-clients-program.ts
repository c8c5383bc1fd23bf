/**
 * A program that asks for /healthz on many new connections at once. Arguments: the service's URL, the number of
 * connections, and a file that it creates once all are open and have their requests. Prints how many answers had which status.
 */
import { writeFileSync } from "node:fs"
import { connect } from "node:net"

const [url = "", count = "", file = ""] = process.argv.slice(2)
const { hostname, port } = new URL(url)

let unsent = Number(count)

const statusOf = () =>
  new Promise<string>((resolve) => {
    let received = ""
    const socket = connect(Number(port), hostname, () =>
      socket.write("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", () => {
        unsent--
        if (unsent === 0) writeFileSync(file, "")
      })
    )
    socket.on("data", (chunk) => {
      received += chunk
    })
    socket.on("error", () => {})
    socket.on("close", () => resolve(received.slice(9, 12) || "none"))
  })

const counts: Record<string, number> = {}
for (const status of await Promise.all(Array.from({ length: unsent }, statusOf))) {
  counts[status] = (counts[status] ?? 0) + 1
}
process.stdout.write(JSON.stringify(counts))
