import { existsSync } from "node:fs"

/**
 * The Chromium for browser tests; undefined on a machine without one, where those tests are skipped. The headless shell comes first: it is
 * the same browser without a window's frame, and the tests take a third less CPU time in it.
 */
export const chromiumPath = [
  process.env.CHROMIUM_PATH,
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/chromium",
  "/usr/bin/google-chrome"
].find((path) => path !== undefined && path !== "" && existsSync(path))

/**
 * A name through which a browser reaches this machine like any other, so its pages are not a secure context.
 */
const insecureHost = "lan.test"

export const flags = [
  // Chromium's sandbox refuses to run as root, and containers run tests as root.
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
