/** HTTP, the gateway, pages, clients and operations. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are code of src.
import { changes, type Mutation } from "../model.ts"

export const http: ReadonlyArray<Mutation> = [
  ...changes("http/contract/refusals.ts", ["http/body-size"], {
    "a body may be a byte larger": ["maxBodyBytes = 1_048_576", "maxBodyBytes = 1_048_577"]
  }),
  ...changes("http/runtime/body.ts", ["http/content-type"], {
    "a body that is not JSON by its type is read": [
      "if (type !== null && !jsonType.test(type))",
      "if (false)"
    ]
  }),
  ...changes("http/runtime/edge.ts", ["http/cors"], {
    "scripts of any origin may call every route": ["metadata?.anyOrigin === true", "metadata !== undefined"]
  }),
  ...changes("http/runtime/edge.ts", ["http/security-headers"], {
    "pages of the own origin may frame answers": [
      '"x-frame-options": "DENY"',
      '"x-frame-options": "SAMEORIGIN"'
    ],
    "browsers may keep answers": ['"cache-control": "no-store"', '"cache-control": "private"'],
    "browsers forget that the service uses https": ['"max-age=31536000"', '"max-age=0"']
  }),
  ...changes("http/runtime/edge.ts", ["http/request-id"], {
    "any text is a request id": ["given !== undefined && saneRequestId.test(given)", "given !== undefined"]
  }),
  ...changes("http/runtime/edge.ts", ["faults/stop"], {
    "a process that stops keeps its connections": ["if (options.draining())", "if (false)"]
  }),
  ...changes("http/runtime/client-address.ts", ["http/client-address"], {
    "clients choose their address": ["hops.pop()", "hops.shift()"]
  }),
  ...changes("http/runtime/reject.ts", ["http/routing"], {
    "a 405 names the wrong methods": ['allow: allow.sort().join(", ")', 'allow: "GET"']
  }),
  ...changes("http/runtime/reject.ts", ["contract/error-codes", "http/routing"], {
    "errors have no code": [
      "headers: { ...headers, ...further, [errorHeader]: code }",
      "headers: { ...headers, ...further }"
    ]
  }),
  ...changes("http/runtime/hosts.ts", ["http/foreign-hosts"], {
    "a service for this machine answers for any host": [
      "return isIP(name) === 0 || !isLoopback(name)",
      "return false"
    ]
  }),
  ...changes("http/runtime/source.ts", ["http/ambiguous"], {
    "two lengths of a body are accepted": ['headers.get("content-length")?.includes(",") === true || ', ""]
  }),
  ...changes("gateway/request-headers.ts", ["gateway/request-headers"], {
    "upstreams get the marketplace key": ['  "x-api-key",\n', ""],
    "upstreams get doorlock's own tokens": ["if (hasOwnToken(variable, value)) return", ""],
    "headers that Connection names are forwarded": ["    if (named.has(name)) return\n", ""]
  }),
  ...changes("gateway/hop-by-hop.ts", ["gateway/request-headers"], {
    "credentials for a proxy are forwarded": ['  "proxy-authorization",\n', ""]
  }),
  ...changes("gateway/response-headers.ts", ["gateway/response-headers"], {
    "upstreams set cookies at the gateway's origin": ['  "set-cookie",\n', ""],
    "answers of upstreams run as pages of the gateway": [
      '"content-security-policy": "sandbox",',
      '"content-security-policy": "default-src \'self\'",'
    ],
    "a redirect beside the base path counts as below it": [
      "!url.pathname.startsWith(`${basePath}/`)",
      "!url.pathname.startsWith(basePath)"
    ]
  }),
  ...changes("gateway/address.ts", ["gateway/addresses"], {
    "the gateway calls link-local addresses": ['  ["169.254.0.0", 16],\n', ""]
  }),
  ...changes("gateway/resolve.ts", ["gateway/addresses", "gateway/names"], {
    "one public address makes all addresses of a name good": [
      "if (!addresses.every(isAllowed))",
      "if (!addresses.some(isAllowed))"
    ]
  }),
  ...changes("gateway/resolve.ts", ["marketplace/catalog/publishing"], {
    "upstreams may be on ports that browsers block": ['if (!isAllowedPort(portOf(url))) return "port"', ""]
  }),
  ...changes("gateway/faults.ts", ["gateway/faults"], {
    "an upstream that does not answer gets 502": [
      "http_response_timeout: timedOut",
      "http_response_timeout: unavailable"
    ]
  }),
  ...changes("gateway/http.ts", ["gateway/request-headers"], {
    "a call that loops goes on for ever": ["if (isLoop(headers, forwarding.pseudonym))", "if (false)"]
  }),
  ...changes("gateway/path.ts", ["gateway/paths"], {
    "paths that upstreams may read differently are forwarded": [
      "if (!visible.test(url) || !isUnambiguous(path))",
      "if (!visible.test(url))"
    ]
  }),
  ...changes("gateway/admission.ts", ["gateway/marketplace"], {
    "the keys of a cancelled subscription work": [
      "key.apiId === apiId && key.subscriptionActive",
      "key.apiId === apiId"
    ]
  }),
  ...changes("gateway/published-routes-repo.ts", ["gateway/marketplace"], {
    "an API that is not published can be called": ["\n            and a.status = 'published'`)", "`)"]
  }),
  ...changes("pages/html-page.ts", ["pages/dashboard", "pages/kyc", "pages/kyc-embedding"], {
    "values in the head of a page are not escaped": [
      'content="${Bun.escapeHTML(content)}"',
      'content="${content}"'
    ]
  }),
  ...changes("pages/html-page.ts", ["pages/front", "pages/kyc"], {
    "the own origin may frame every page": [
      "ancestors.length === 0 ? \"'none'\"",
      "ancestors.length === 0 ? \"'self'\""
    ]
  }),
  ...changes("pages/kyc.ts", ["pages/kyc", "pages/page-headers"], {
    "browsers may keep the hosted page": ['"cache-control": "no-store"', '"cache-control": "private"']
  }),
  ...changes(
    "web/dashboard/common/write-access.tsx",
    ["browser/dashboard-members", "browser/dashboard-keys"],
    {
      "viewers are offered forms": ["useMayWrite() ? <Link {...link} /> : null", "<Link {...link} />"]
    }
  ),
  ...changes("web/kyc/embedding/embedder.ts", ["browser/kyc-embed"], {
    "any page that frames the hosted page hears its events": [
      "if (!framed() || embedOrigin === undefined || !allowed.includes(embedOrigin)) return",
      "if (!framed() || embedOrigin === undefined) return"
    ]
  }),
  ...changes("web/kyc/main.tsx", ["browser/kyc-handoff"], {
    "the hosted page ignores a link to another session": [
      "if (/[#&](handoff|token)=/.test(location.hash)) location.reload()",
      ""
    ]
  }),
  ...changes("client/package/connection.ts", ["client/calls"], {
    "the client repeats what may have had an effect": [
      'const harmless = request.method === "GET" || idempotencyKey !== undefined',
      "const harmless = true"
    ],
    "the client sends the key to where a redirect leads": ['redirect: "manual"', 'redirect: "follow"']
  }),
  ...changes("client/package/webhook.ts", ["client/webhook"], {
    "the client accepts old webhooks": [
      "- Number(timestamp)) > tolerance)",
      "- Number(timestamp)) > 1_000 * tolerance)"
    ]
  }),
  ...changes("mcp/http.ts", ["mcp/mcp"], {
    "agents are offered tools without the scope": [".filter((tool) => isOffered(tool, scopes))", ""],
    "pages of other sites call tools": ["Effect.zipRight(refuseOtherSites, identify)", "identify"]
  }),
  ...changes("mcp/tools-model.ts", ["mcp/mcp"], {
    "agents decide although the operator forbids it": [
      "mayDecide || isDecision === undefined ?",
      "mayDecide || name !== undefined ?"
    ]
  }),
  ...changes("operations/credential.ts", ["operations/metrics.system"], {
    "everybody can read the metrics": ["if (isDirect() && isNear(clientAddress())) return", "return"]
  }),
  ...changes("operations/http.ts", ["faults/stop"], {
    "a process that stops is ready": [
      "lifecycle.isDraining() ? Effect.fail(new NotReady()) : databaseAnswers",
      "databaseAnswers"
    ]
  }),
  ...changes("operations/readiness.ts", ["db/servers.system", "faults/database"], {
    "readiness waits for a database that hangs": [
      'withinOr("operations.readiness", sql`select 1`, () => new NotReady()).pipe(',
      "sql`select 1`.pipe("
    ]
  }),
  ...changes("observability/redact.ts", ["observability/redact"], {
    "the access log has the values of all parameters": [
      "openParameters.has(name) ? pair : `${name}=[redacted]`",
      "pair"
    ]
  }),
  ...changes("observability/metrics.ts", ["operations/metrics.system", "operations/grafana"], {
    "a metric has another name": ['"doorlock_kyc_sessions_total"', '"doorlock_kyc_session_total"']
  }),
  ...changes("limits/fair-queue.ts", ["limits/fair-queue"], {
    "a turn that ends twice makes room for two": ["if (!isUnderWay) return", "if (false) return"],
    "a lane that is full costs others their places": [
      "while (node.waiting > node.most) this.#refuseOneOf(node)",
      "while (node.waiting > node.most) this.#refuseOneOf(this.#all)"
    ]
  }),
  ...changes("limits/failure-budget.ts", ["limits/failure-budget"], {
    "attempts that are refused drain a budget": ["if (seconds === 0) keep(key,", "keep(key,"],
    "a budget is forgotten while a key is still owed for": [
      "wholeAt = Math.max(wholeAt, bucket.at + (burst - bucket.tokens) / perMilli)",
      "wholeAt = bucket.at + (burst - bucket.tokens) / perMilli"
    ]
  }),
  ...changes("http/runtime/body-budget.ts", ["http/body-budget"], {
    "bodies from loopback share a network's limit": [
      "isLoopback(holder.address) ? inAll : perHolder",
      "isLoopback(holder.address) ? perHolder : perHolder"
    ],
    "a body that is released again makes room again": [
      "if (whose?.bodies.delete(body) !== true) return",
      "if (whose === undefined || (whose.bodies.delete(body), false)) return"
    ]
  }),
  ...changes("http/runtime/scheduler.ts", ["http/scheduler.system"], {
    "a task that throws ends those behind it": [
      "if (next < tasks.length) this.#tasks =",
      "if (false) this.#tasks ="
    ]
  }),
  ...changes("gateway/shares.ts", ["gateway/shares"], {
    "subscribers of one publisher take all connections": [
      "return ofPublisher.more < publisherPart * this.#free",
      "return true"
    ]
  }),
  ...changes("gateway/chunked.ts", ["gateway/reading"], {
    "a chunk's data may end with LF alone": ["if (line.charCodeAt(line.length - 2) !== CR)", "if (false)"],
    "a chunk's size may be below zero": ["/^([0-9a-f]{1,13})", "/^-?([0-9a-f]{1,13})"]
  }),
  ...changes("gateway/resolve.ts", ["gateway/addresses"], {
    "all addresses of a name are dialled": ["addresses.length <= mostAddresses", "addresses.length > 0"]
  })
]
