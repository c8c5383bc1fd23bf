/**
 * A receiver of webhooks that answers at once. `GET` returns, for each request since the last `GET`, how many milliseconds after its event it
 * came.
 */
let arrivals: Array<{ readonly at: number; readonly body: string }> = []

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  idleTimeout: 0,
  fetch: async (request) => {
    if (request.method === "POST") {
      arrivals.push({ at: Date.now(), body: await request.text() })
      return new Response(null, { status: 204 })
    }
    const found = arrivals
    arrivals = []
    return Response.json(found.map(({ at, body }) => at - Date.parse(JSON.parse(body).timestamp)))
  }
})

process.stdout.write(`listens on 127.0.0.1:${server.port}\n`)
