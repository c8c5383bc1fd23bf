/** The browser and system in a `User-Agent`, by their common names. */
export const deviceOf = (userAgent: string | null): string => {
  if (userAgent === null) return "Unknown client"
  const named = (names: ReadonlyArray<readonly [RegExp, string]>) =>
    names.find(([pattern]) => pattern.test(userAgent))?.[1]
  const browser = named([
    [/\bEdg/, "Edge"],
    [/\bOPR\//, "Opera"],
    [/\bFirefox\//, "Firefox"],
    [/Chrome\//, "Chrome"],
    [/\bSafari\//, "Safari"],
    [/^curl\//, "curl"]
  ])
  const system = named([
    [/\bAndroid\b/, "Android"],
    [/\biPhone\b/, "iPhone"],
    [/\biPad\b/, "iPad"],
    [/\bWindows\b/, "Windows"],
    [/\bMac OS X\b/, "Mac"],
    [/\bCrOS\b/, "ChromeOS"],
    [/\bLinux\b/, "Linux"]
  ])
  if (browser === undefined) return userAgent.slice(0, 60)
  return system === undefined ? browser : `${browser} on ${system}`
}
