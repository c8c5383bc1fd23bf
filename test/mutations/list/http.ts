/** HTTP, the gateway, pages, clients and operations. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are code of src.
import type { Mutation } from "../model.ts"

export const http: ReadonlyArray<Mutation> = [
  {
    name: "a body may be a byte larger",
    file: "src/http/contract/refusals.ts",
    find: "maxBodyBytes = 1_048_576",
    replace: "maxBodyBytes = 1_048_577",
    tests: ["test/http/body-size.test.ts"]
  },
  {
    name: "a body that is not JSON by its type is read",
    file: "src/http/runtime/body.ts",
    find: "if (type !== null && !jsonType.test(type))",
    replace: "if (false)",
    tests: ["test/http/content-type.test.ts"]
  },
  {
    name: "scripts of any origin may call every route",
    file: "src/http/runtime/edge.ts",
    find: "metadata?.anyOrigin === true",
    replace: "metadata !== undefined",
    tests: ["test/http/cors.test.ts"]
  },
  {
    name: "pages of the own origin may frame answers",
    file: "src/http/runtime/edge.ts",
    find: '"x-frame-options": "DENY"',
    replace: '"x-frame-options": "SAMEORIGIN"',
    tests: ["test/http/security-headers.test.ts"]
  },
  {
    name: "browsers may keep answers",
    file: "src/http/runtime/edge.ts",
    find: '"cache-control": "no-store"',
    replace: '"cache-control": "private"',
    tests: ["test/http/security-headers.test.ts"]
  },
  {
    name: "browsers forget that the service uses https",
    file: "src/http/runtime/edge.ts",
    find: '"max-age=31536000"',
    replace: '"max-age=0"',
    tests: ["test/http/security-headers.test.ts"]
  },
  {
    name: "any text is a request id",
    file: "src/http/runtime/edge.ts",
    find: "given !== undefined && saneRequestId.test(given)",
    replace: "given !== undefined",
    tests: ["test/http/request-id.test.ts"]
  },
  {
    name: "a process that stops keeps its connections",
    file: "src/http/runtime/edge.ts",
    find: "if (options.draining())",
    replace: "if (false)",
    tests: ["test/faults/stop.test.ts"]
  },
  {
    name: "clients choose their address",
    file: "src/http/runtime/client-address.ts",
    find: "hops.pop()",
    replace: "hops.shift()",
    tests: ["test/http/client-address.test.ts"]
  },
  {
    name: "a 405 names the wrong methods",
    file: "src/http/runtime/reject.ts",
    find: 'allow: allow.sort().join(", ")',
    replace: 'allow: "GET"',
    tests: ["test/http/routing.test.ts"]
  },
  {
    name: "errors have no code",
    file: "src/http/runtime/reject.ts",
    find: "headers: { ...headers, ...further, [errorHeader]: code }",
    replace: "headers: { ...headers, ...further }",
    tests: ["test/contract/error-codes.test.ts", "test/http/routing.test.ts"]
  },
  {
    name: "a service for this machine answers for any host",
    file: "src/http/runtime/hosts.ts",
    find: "return isIP(name) === 0 || !isLoopback(name)",
    replace: "return false",
    tests: ["test/http/foreign-hosts.test.ts"]
  },
  {
    name: "two lengths of a body are accepted",
    file: "src/http/runtime/source.ts",
    find: 'headers.get("content-length")?.includes(",") === true || ',
    replace: "",
    tests: ["test/http/ambiguous.test.ts"]
  },
  {
    name: "upstreams get the marketplace key",
    file: "src/gateway/request-headers.ts",
    find: '  "x-api-key",\n',
    replace: "",
    tests: ["test/gateway/request-headers.test.ts"]
  },
  {
    name: "upstreams get doorlock's own tokens",
    file: "src/gateway/request-headers.ts",
    find: "if (hasOwnToken(variable, value)) return",
    replace: "",
    tests: ["test/gateway/request-headers.test.ts"]
  },
  {
    name: "headers that Connection names are forwarded",
    file: "src/gateway/request-headers.ts",
    find: "    if (named.has(name)) return\n",
    replace: "",
    tests: ["test/gateway/request-headers.test.ts"]
  },
  {
    name: "credentials for a proxy are forwarded",
    file: "src/gateway/hop-by-hop.ts",
    find: '  "proxy-authorization",\n',
    replace: "",
    tests: ["test/gateway/request-headers.test.ts"]
  },
  {
    name: "upstreams set cookies at the gateway's origin",
    file: "src/gateway/response-headers.ts",
    find: '  "set-cookie",\n',
    replace: "",
    tests: ["test/gateway/response-headers.test.ts"]
  },
  {
    name: "answers of upstreams run as pages of the gateway",
    file: "src/gateway/response-headers.ts",
    find: '"content-security-policy": "sandbox",',
    replace: '"content-security-policy": "default-src \'self\'",',
    tests: ["test/gateway/response-headers.test.ts"]
  },
  {
    name: "a redirect beside the base path counts as below it",
    file: "src/gateway/response-headers.ts",
    find: "!url.pathname.startsWith(`${basePath}/`)",
    replace: "!url.pathname.startsWith(basePath)",
    tests: ["test/gateway/response-headers.test.ts"]
  },
  {
    name: "the gateway calls link-local addresses",
    file: "src/gateway/address.ts",
    find: '  ["169.254.0.0", 16],\n',
    replace: "",
    tests: ["test/gateway/addresses.test.ts"]
  },
  {
    name: "one public address makes all addresses of a name good",
    file: "src/gateway/resolve.ts",
    find: "if (!addresses.every(isAllowed))",
    replace: "if (!addresses.some(isAllowed))",
    tests: ["test/gateway/addresses.test.ts", "test/gateway/names.test.ts"]
  },
  {
    name: "upstreams may be on ports that browsers block",
    file: "src/gateway/resolve.ts",
    find: 'if (!isAllowedPort(portOf(url))) return "port"',
    replace: "",
    tests: ["test/marketplace/catalog/publishing.test.ts"]
  },
  {
    name: "an upstream that does not answer gets 502",
    file: "src/gateway/faults.ts",
    find: "http_response_timeout: timedOut",
    replace: "http_response_timeout: unavailable",
    tests: ["test/gateway/faults.test.ts"]
  },
  {
    name: "a call that loops goes on for ever",
    file: "src/gateway/http.ts",
    find: "if (isLoop(headers, forwarding.pseudonym))",
    replace: "if (false)",
    tests: ["test/gateway/request-headers.test.ts"]
  },
  {
    name: "paths that upstreams may read differently are forwarded",
    file: "src/gateway/path.ts",
    find: "if (!visible.test(url) || !isUnambiguous(path))",
    replace: "if (!visible.test(url))",
    tests: ["test/gateway/paths.test.ts"]
  },
  {
    name: "the keys of a cancelled subscription work",
    file: "src/gateway/admission.ts",
    find: "key.apiId === apiId && key.subscriptionActive",
    replace: "key.apiId === apiId",
    tests: ["test/gateway/marketplace.test.ts"]
  },
  {
    name: "an API that is not published can be called",
    file: "src/gateway/published-routes-repo.ts",
    find: "\n            and a.status = 'published'`)",
    replace: "`)",
    tests: ["test/gateway/marketplace.test.ts"]
  },
  {
    name: "values in the head of a page are not escaped",
    file: "src/pages/html-page.ts",
    find: 'content="${Bun.escapeHTML(content)}"',
    replace: 'content="${content}"',
    tests: ["test/pages/dashboard.test.ts", "test/pages/kyc.test.ts", "test/pages/kyc-embedding.test.ts"]
  },
  {
    name: "the own origin may frame every page",
    file: "src/pages/html-page.ts",
    find: "ancestors.length === 0 ? \"'none'\"",
    replace: "ancestors.length === 0 ? \"'self'\"",
    tests: ["test/pages/front.test.ts", "test/pages/kyc.test.ts"]
  },
  {
    name: "browsers may keep the hosted page",
    file: "src/pages/kyc.ts",
    find: '"cache-control": "no-store"',
    replace: '"cache-control": "private"',
    tests: ["test/pages/kyc.test.ts", "test/pages/page-headers.test.ts"]
  },
  {
    name: "viewers are offered forms",
    file: "src/web/dashboard/common/write-access.tsx",
    find: "useMayWrite() ? <Link {...link} /> : null",
    replace: "<Link {...link} />",
    tests: ["test/browser/dashboard-members.test.ts", "test/browser/dashboard-keys.test.ts"]
  },
  {
    name: "any page that frames the hosted page hears its events",
    file: "src/web/kyc/embedding/embedder.ts",
    find: "if (!framed() || embedOrigin === undefined || !allowed.includes(embedOrigin)) return",
    replace: "if (!framed() || embedOrigin === undefined) return",
    tests: ["test/browser/kyc-embed.test.ts"]
  },
  {
    name: "the hosted page ignores a link to another session",
    file: "src/web/kyc/main.tsx",
    find: "if (/[#&](handoff|token)=/.test(location.hash)) location.reload()",
    replace: "",
    tests: ["test/browser/kyc-handoff.test.ts"]
  },
  {
    name: "the client repeats what may have had an effect",
    file: "src/client/package/connection.ts",
    find: 'const harmless = request.method === "GET" || idempotencyKey !== undefined',
    replace: "const harmless = true",
    tests: ["test/client/calls.test.ts"]
  },
  {
    name: "the client sends the key to where a redirect leads",
    file: "src/client/package/connection.ts",
    find: 'redirect: "manual"',
    replace: 'redirect: "follow"',
    tests: ["test/client/calls.test.ts"]
  },
  {
    name: "the client accepts old webhooks",
    file: "src/client/package/webhook.ts",
    find: "- Number(timestamp)) > tolerance)",
    replace: "- Number(timestamp)) > 1_000 * tolerance)",
    tests: ["test/client/webhook.test.ts"]
  },
  {
    name: "agents are offered tools without the scope",
    file: "src/mcp/http.ts",
    find: ".filter((tool) => isOffered(tool, scopes))",
    replace: "",
    tests: ["test/mcp/mcp.test.ts"]
  },
  {
    name: "pages of other sites call tools",
    file: "src/mcp/http.ts",
    find: "Effect.zipRight(refuseOtherSites, identify)",
    replace: "identify",
    tests: ["test/mcp/mcp.test.ts"]
  },
  {
    name: "agents decide although the operator forbids it",
    file: "src/mcp/tools-model.ts",
    find: "mayDecide || isDecision === undefined ?",
    replace: "mayDecide || name !== undefined ?",
    tests: ["test/mcp/mcp.test.ts"]
  },
  {
    name: "everybody can read the metrics",
    file: "src/operations/credential.ts",
    find: "if (isDirect() && isNear(clientAddress())) return",
    replace: "return",
    tests: ["test/operations/metrics.system.test.ts"]
  },
  {
    name: "a process that stops is ready",
    file: "src/operations/http.ts",
    find: "lifecycle.isDraining() ? Effect.fail(new NotReady()) : databaseAnswers",
    replace: "databaseAnswers",
    tests: ["test/faults/stop.test.ts"]
  },
  {
    name: "readiness waits for a database that hangs",
    file: "src/operations/readiness.ts",
    find: 'withinOr("operations.readiness", sql`select 1`, () => new NotReady()).pipe(',
    replace: "sql`select 1`.pipe(",
    tests: ["test/db/servers.system.test.ts", "test/faults/database.test.ts"]
  },
  {
    name: "the access log has the values of all parameters",
    file: "src/observability/redact.ts",
    find: "openParameters.has(name) ? pair : `${name}=[redacted]`",
    replace: "pair",
    tests: ["test/observability/redact.test.ts"]
  },
  {
    name: "a metric has another name",
    file: "src/observability/metrics.ts",
    find: '"doorlock_kyc_sessions_total"',
    replace: '"doorlock_kyc_session_total"',
    tests: ["test/operations/metrics.system.test.ts", "test/operations/grafana.test.ts"]
  },
  {
    name: "a turn that ends twice makes room for two",
    file: "src/limits/fair-queue.ts",
    find: "if (!isUnderWay) return",
    replace: "if (false) return",
    tests: ["test/limits/fair-queue.test.ts"]
  },
  {
    name: "a lane that is full costs others their places",
    file: "src/limits/fair-queue.ts",
    find: "while (node.waiting > node.most) this.#refuseOneOf(node)",
    replace: "while (node.waiting > node.most) this.#refuseOneOf(this.#all)",
    tests: ["test/limits/fair-queue.test.ts"]
  },
  {
    name: "attempts that are refused drain a budget",
    file: "src/limits/failure-budget.ts",
    find: "if (seconds === 0) keep(key,",
    replace: "keep(key,",
    tests: ["test/limits/failure-budget.test.ts"]
  },
  {
    name: "a budget is forgotten while a key is still owed for",
    file: "src/limits/failure-budget.ts",
    find: "wholeAt = Math.max(wholeAt, bucket.at + (burst - bucket.tokens) / perMilli)",
    replace: "wholeAt = bucket.at + (burst - bucket.tokens) / perMilli",
    tests: ["test/limits/failure-budget.test.ts"]
  },
  {
    name: "bodies from loopback share a network's limit",
    file: "src/http/runtime/body-budget.ts",
    find: "isLoopback(holder.address) ? inAll : perHolder",
    replace: "isLoopback(holder.address) ? perHolder : perHolder",
    tests: ["test/http/body-budget.test.ts"]
  },
  {
    name: "a body that is released again makes room again",
    file: "src/http/runtime/body-budget.ts",
    find: "if (whose?.bodies.delete(body) !== true) return",
    replace: "if (whose === undefined || (whose.bodies.delete(body), false)) return",
    tests: ["test/http/body-budget.test.ts"]
  },
  {
    name: "a task that throws ends those behind it",
    file: "src/http/runtime/scheduler.ts",
    find: "if (next < tasks.length) this.#tasks =",
    replace: "if (false) this.#tasks =",
    tests: ["test/http/scheduler.system.test.ts"]
  },
  {
    name: "subscribers of one publisher take all connections",
    file: "src/gateway/shares.ts",
    find: "return ofPublisher.more < publisherPart * this.#free",
    replace: "return true",
    tests: ["test/gateway/shares.test.ts"]
  },
  {
    name: "a chunk's data may end with LF alone",
    file: "src/gateway/chunked.ts",
    find: "if (line.charCodeAt(line.length - 2) !== CR)",
    replace: "if (false)",
    tests: ["test/gateway/reading.test.ts"]
  },
  {
    name: "a chunk's size may be below zero",
    file: "src/gateway/chunked.ts",
    find: "/^([0-9a-f]{1,13})",
    replace: "/^-?([0-9a-f]{1,13})",
    tests: ["test/gateway/reading.test.ts"]
  },
  {
    name: "all addresses of a name are dialled",
    file: "src/gateway/resolve.ts",
    find: "addresses.length <= mostAddresses",
    replace: "addresses.length > 0",
    tests: ["test/gateway/addresses.test.ts"]
  }
]
