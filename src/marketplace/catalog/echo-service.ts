/** The upstream of the demo API, within the product: it answers what it was asked, as the gateway passed it on. */

/**
 * The upstream URL of the demo API. It has a scheme of its own, which no publisher can register: the gateway does not dial
 * it but hands the request to `echo`, whatever its own address is and whichever addresses it may dial.
 */
export const echoUpstream = "doorlock:echo"

/** Bytes of a body that is given back, at most: 1 MiB. */
const maxBodyBytes = 1_048_576

const json = (status: number, body: object, headers: Readonly<Record<string, string>> = {}): Response =>
  new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json", ...headers } })

/** The body as text, or undefined when it is too large. */
const textOf = async (request: Request): Promise<string | undefined> => {
  if (request.body === null) return ""
  const chunks: Array<Uint8Array> = []
  let length = 0
  for await (const chunk of request.body) {
    length += chunk.length
    if (length > maxBodyBytes) return undefined
    chunks.push(chunk)
  }
  return new TextDecoder().decode(Buffer.concat(chunks, length))
}

/**
 * Answers a request whose path is what comes after `/v/<version>`: `/v1/health` says that it is well, and `/v1/echo` and what
 * is below it, by any method, what arrived. A body that is longer than 1 MiB is refused, and read no further.
 */
export const echo = async (request: Request): Promise<Response> => {
  const { pathname, search } = new URL(request.url)
  if (pathname === "/v1/health") {
    return request.method === "GET" || request.method === "HEAD"
      ? json(200, { status: "ok" })
      : json(405, { error: "Method not allowed" }, { allow: "GET, HEAD" })
  }
  if (pathname !== "/v1/echo" && !pathname.startsWith("/v1/echo/")) return json(404, { error: "Not found" })
  const body = await textOf(request)
  if (body === undefined) return json(413, { error: `A body has at most ${maxBodyBytes} bytes` })
  return json(200, {
    method: request.method,
    path: pathname,
    query: search,
    headers: Object.fromEntries(request.headers),
    body
  })
}
