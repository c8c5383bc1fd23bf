/**
 * Every timeout and every pause of the pages, in milliseconds. Nothing else in `src/web` starts a timer (biome.json refuses it), so that tests
 * can find out which one a page has started. A table for each page: none loads those of others.
 */

export const dashboardTimes = {
  /** For an answer: longer than anything that the server works on before it answers. */
  answer: 120_000,
  /** Between two calls of a live page. The pause doubles with each failure, up to the longest. */
  live: 2_000,
  longestLive: 60_000,
  /** Before the other pages of a feature are loaded, so that the page itself can ask for its data. */
  prefetch: 1_000,
  /** After a change of an instance, before the preview shows it. */
  preview: 300,
  /** After a key, before a document in YAML is read. */
  readDocument: 300,
  /** For the release of a claim, as the user signs out. */
  releaseClaim: 5_000,
  /** Between two renewals of a claim, which lasts 15 minutes. */
  renewClaim: 300_000,
  /** After a key, before sessions are looked for. */
  search: 200,
  /** For the decisions that are sent as the user signs out. */
  sendDecisions: 10_000,
  /** For which a decision can be undone. */
  undoDecision: 10_000
} as const

export const embedTimes = {
  ready: 30_000,
  /** A page that is not ready this long after loading is something else, such as the browser's error page. */
  readyAfterLoad: 2_000
} as const

export const kycTimes = {
  answer: 60_000,
  /** Before the captcha is solved: on a slow phone, it would delay the first paint. */
  captcha: 300,
  /** For the browser to be idle before the captcha is solved. */
  captchaIdle: 2_000,
  countdown: 1_000,
  /** Between two looks at the camera's frames. */
  frame: 150,
  /** Between two questions how a handoff goes. */
  handoff: 2_000,
  /** Nobody waits for a hidden page. */
  hiddenHandoff: 10_000,
  /** For the file that finds faces. Then frames are judged without it until it is there. */
  network: 3_000,
  /** Before a file that did not arrive is asked for again. */
  networkAgain: 5_000,
  /** Between a frame in which nothing was read and the next one. */
  readFrame: 100,
  /** Between two questions whether the server has read a photo. */
  reading: 1_000,
  /** For the browser to read a photo that the server has. Then the server reads it. A slow device takes longer. */
  readingHere: 5_000,
  /** Between two tries while the browser reports a connection. */
  retry: 5_000,
  /** After a key, before unfinished input is saved. */
  save: 2_000,
  /** The server's timeout for uploads: a photo over a poor connection takes minutes. */
  upload: 600_000
} as const

export const uiTimes = {
  /** For which a button says that something was copied. */
  copied: 2_500
} as const

/** A timer that has been started. */
export interface Timer {
  readonly cancel: () => void
}

/** Runs once. */
export const after = (millis: number, run: () => void): Timer => {
  const timer = setTimeout(run, millis)
  return { cancel: () => clearTimeout(timer) }
}

/** Runs again and again. */
export const every = (millis: number, run: () => void): Timer => {
  const timer = setInterval(run, millis)
  return { cancel: () => clearInterval(timer) }
}

export const sleep = (millis: number): Promise<undefined> =>
  new Promise((resolve) => void after(millis, () => resolve(undefined)))

/** Aborts after the time. */
export const signal = (millis: number): AbortSignal => AbortSignal.timeout(millis)
