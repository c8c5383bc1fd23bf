import type { ToWorker } from "./messages.ts"

/** Of a child process, what it takes to tell it something; the callback comes when it is in the pipe, or never will be. */
interface Channel {
  readonly connected: boolean
  readonly send: (message: ToWorker, callback: (error: Error | null) => void) => unknown
}

/**
 * What a worker has not read yet, at most: messages, and changes of budgets and series of figures in them, some hundred bytes each. One
 * that does not listen gets no more until it does.
 */
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

/** How to tell a worker something. What it is told is left out when it has too much to read, and when it is gone. */
export const sending = (child: Channel): ((message: ToWorker) => void) => {
  let unread = 0
  return (message) => {
    if (!child.connected || unread >= mostUnread) return
    const size = sizeOf(message)
    unread += size
    // Whether it was sent or not: either way it is kept no longer.
    child.send(message, () => {
      unread -= size
    })
  }
}
