/**
 * A receiver of webhooks that answers at once, except at `/hangs`, where it never answers. `GET` returns, for each request since the last
 * `GET`, its event's type and how many milliseconds after the event it came.
 */
let arrivals: Array<{ readonly at: number; readonly body: string }> = []

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  idleTimeout: 0,
  fetch: async (request) => {
    if (request.url.endsWith("/hangs")) return new Promise<Response>(() => {})
    if (request.method === "POST") {
      arrivals.push({ at: Date.now(), body: await request.text() })
      return new Response(null, { status: 204 })
    }
    const found = arrivals
    arrivals = []
    return Response.json(
      found.map(({ at, body }) => {
        const { timestamp, type } = JSON.parse(body)
        return { type, after: at - Date.parse(timestamp) }
      })
    )
  }
})

process.stdout.write(`listens on 127.0.0.1:${server.port}\n`)
