import type { ToWorker } from "./messages.ts"

/** The part of a child process that sends. Calls back once the message is in the pipe, or never can be. */
interface Channel {
  readonly connected: boolean
  readonly send: (message: ToWorker, callback: (error: Error | null) => void) => unknown
}

/** Maximum backlog: messages, with the changes and series in them, at some hundred bytes each. */
export const mostUnread = 50_000

const sizeOf = (message: ToWorker): number => {
  switch (message._tag) {
    case "Report":
      return 1
    case "BudgetChanges":
      return 1 + message.changes.length
    case "Collected":
      return message.families.reduce((sum, { series }) => sum + Object.keys(series).length, 1)
  }
}

/** Sends messages to a worker. Drops them while its backlog is full, and once it has ended. */
export const sending = (child: Channel): ((message: ToWorker) => void) => {
  let unread = 0
  return (message) => {
    if (!child.connected || unread >= mostUnread) return
    const size = sizeOf(message)
    unread += size
    // Either way, the message no longer occupies memory.
    child.send(message, () => {
      unread -= size
    })
  }
}
