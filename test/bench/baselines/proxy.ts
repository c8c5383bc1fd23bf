/** A proxy that checks nothing: `Bun.serve` and `fetch`, headers copied, bodies streamed. */
const upstream = process.env.UPSTREAM ?? ""

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch: async (request) => {
    const url = new URL(request.url)
    const headers = new Headers(request.headers)
    headers.delete("host")
    headers.delete("connection")
    const answer = await fetch(upstream + url.pathname + url.search, {
      method: request.method,
      headers,
      body: request.body,
      redirect: "manual"
    })
    return new Response(answer.body, { status: answer.status, headers: new Headers(answer.headers) })
  }
})

process.stdout.write(`listens on 127.0.0.1:${server.port}\n`)
