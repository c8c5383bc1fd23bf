import { cursorsOf } from "../shared/cursor.ts"

/** A place in a company's feed. */
export interface FeedCursor {
  /** The position of the last event read. */
  readonly position: number
  /** The time up to which the feed was read, in milliseconds. */
  readonly at: number
}

export const { read: readFeedCursor, write: writeFeedCursor } = cursorsOf<FeedCursor>(
  ({ at, position }) => `${position}.${at}`,
  (written) => {
    const [, position, at] = /^(\d{1,15})\.(\d{1,15})$/.exec(written) ?? []
    return position === undefined ? undefined : { position: Number(position), at: Number(at) }
  }
)
