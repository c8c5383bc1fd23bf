/** An upstream that responds at once with a small JSON body. */
const body = JSON.stringify({ id: 42, name: "an answer of the usual size", items: [1, 2, 3], ok: true })

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch: () => new Response(body, { headers: { "content-type": "application/json" } })
})

process.stdout.write(`listens on 127.0.0.1:${server.port}\n`)
