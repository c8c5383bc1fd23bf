/** Tells the browser's other tabs who is signed in: all tabs share the session cookie. */

const channel = new BroadcastChannel("doorlock dashboard")

/** Sends the id of the user who signed in; null after signing out. */
export const tellTabs = (user: string | null): void => channel.postMessage(user)

/** Returns a function that unsubscribes. */
export const hearTabs = (hear: (user: string | null) => void): (() => void) => {
  const take = ({ data }: MessageEvent<string | null>) => hear(data)
  channel.addEventListener("message", take)
  return () => channel.removeEventListener("message", take)
}
