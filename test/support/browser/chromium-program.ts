import { existsSync } from "node:fs"

/** The Chromium that browser tests drive, or undefined on a machine without one: they are skipped there. */
export const chromiumPath = [process.env.CHROMIUM_PATH, "/usr/bin/chromium", "/usr/bin/google-chrome"].find(
  (path) => path !== undefined && path !== "" && existsSync(path)
)

/** A name under which a browser reaches this machine as it reaches others: its pages are no secure context there. */
export const insecureHost = "lan.test"

export const flags = [
  // Chromium's sandbox refuses to run as root, which is who a container runs tests as.
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  `--host-resolver-rules=MAP ${insecureHost} 127.0.0.1`,
  "--use-fake-device-for-media-stream",
  "--use-fake-ui-for-media-stream"
]
