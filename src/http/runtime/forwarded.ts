/** Headers that proxies add to forwarded requests. */
const headers = new Set([
  ...["forwarded", "via", "x-real-ip", "x-client-ip", "x-cluster-client-ip"],
  ...["cf-connecting-ip", "true-client-ip", "fastly-client-ip", "x-envoy-external-address"]
])

/** Whether a proxy forwarded the request, so that the peer is not the client. */
export const isForwarded = (request: Headers): boolean => {
  for (const name of request.keys()) if (headers.has(name) || name.startsWith("x-forwarded-")) return true
  return false
}
