/** What proxies write into the requests that they pass on. */
const headers = new Set([
  ...["forwarded", "via", "x-real-ip", "x-client-ip", "x-cluster-client-ip"],
  ...["cf-connecting-ip", "true-client-ip", "fastly-client-ip", "x-envoy-external-address"]
])

/** Whether a request says that a proxy has passed it on: whoever it is for is not who connects. */
export const isForwarded = (request: Headers): boolean => {
  for (const name of request.keys()) if (headers.has(name) || name.startsWith("x-forwarded-")) return true
  return false
}
