/** The upstream of the demo API, inside the product. It answers with the request as the gateway forwarded it. */

/** No publisher can register its scheme: it stands for `echo` in this process. */
export const echoUpstream = "doorlock:echo"

/** Maximum bytes of an echoed body: 16 KiB. It is held in memory, in no budget of bodies. */
const maxBodyBytes = 16_384

const json = (status: number, body: object, headers: Readonly<Record<string, string>> = {}): Response =>
  new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json", ...headers } })

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

/** Answers paths below `basePath`: `/v1/health`, and `/v1/echo` with the request, for any method. */
export const echo = async (request: Request, basePath: string): Promise<Response> => {
  const { pathname: whole, search } = new URL(request.url)
  if (!whole.startsWith(`${basePath}/`)) return json(404, { error: "Not found" })
  const pathname = whole.slice(basePath.length)
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
