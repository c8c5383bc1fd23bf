/** Selecting sessions of the list, and what users who may write do with all of them. */
import type { ComponentChildren } from "preact"
import { useLayoutEffect, useRef, useState } from "preact/hooks"
import { Alert, Button } from "../../../ui/parts.tsx"
import { useIsOwner } from "../../common/account.ts"
import { useBatch } from "../../common/batch.ts"
import { type Answer, doorlock } from "../../common/call.ts"
import { Dialog } from "../../common/dialog.tsx"
import { formatCount } from "../../common/parts.tsx"
import { Link } from "../../common/router.tsx"
import { DestroyWarning } from "./session-actions.tsx"
import { sessionPath } from "./session-state.tsx"

type Session = Answer<"sessions.list">["sessions"][number]

const sessionCount = (count: number) => `${formatCount(count)} ${count === 1 ? "session" : "sessions"}`

/** What can be done with many sessions. `count` is that of the sessions that it applies to. */
const acts = {
  cancel: {
    applies: ({ redacted_at, status }: Session) =>
      redacted_at === null && (status === "created" || status === "running"),
    act: (count: number) => `Cancel ${sessionCount(count)}`,
    left: (count: number) => `Not included: ${sessionCount(count)} that already ended.`,
    done: (count: number) => `${sessionCount(count)} cancelled.`,
    warning: (
      <p>
        The end users cannot continue. Their page says that the verification was cancelled. This cannot be
        undone.
      </p>
    ),
    run: ({ id }: Session) => doorlock.sessions.cancel(id)
  },
  destroy: {
    applies: ({ redacted_at }: Session) => redacted_at === null,
    act: (count: number) => `Destroy data of ${sessionCount(count)}`,
    left: (count: number) => `Not included: ${sessionCount(count)} whose data is already destroyed.`,
    done: (count: number) => `Data of ${sessionCount(count)} destroyed.`,
    warning: <DestroyWarning />,
    run: ({ id }: Session) => doorlock.sessions.redact(id)
  }
} as const

type Act = keyof typeof acts

interface FailuresProps {
  readonly of: ReadonlyArray<{ readonly item: Session; readonly message: string }>
}

/** The sessions that failed, by why. */
const Failures = ({ of: failed }: FailuresProps): ComponentChildren =>
  [...Map.groupBy(failed, ({ message }) => message)].map(([message, those]) => (
    <Alert key={message} title={`${sessionCount(those.length)} failed: ${message}`}>
      <ul class="bulk-failures">
        {those.map(({ item: { external_reference, id } }) => (
          <li key={id}>
            <Link to={sessionPath(id)}>{external_reference || id}</Link>
          </li>
        ))}
      </ul>
    </Alert>
  ))

/** How far a batch is, in quarters: screen readers could not keep up with every session. */
const roughly = ({ done, total }: { readonly done: number; readonly total: number }): string => {
  const quarter = Math.ceil(total / 4)
  return `${formatCount(Math.floor(done / quarter) * quarter)} of ${formatCount(total)}`
}

interface BulkDialogProps {
  readonly name: Act
  readonly selected: ReadonlyArray<Session>
  /** @param worked whether sessions may have changed */
  readonly onClose: (worked: boolean) => void
}

/** Asks, works and says what came of it. The last button stays one element, which keeps the focus. */
const BulkDialog = ({ name, onClose, selected }: BulkDialogProps) => {
  const { act, applies, done, left, run, warning } = acts[name]
  const [sessions] = useState(() => selected.filter(applies))
  const { batch, start, stop } = useBatch(run)
  const without = selected.length - sessions.length
  const isOver = batch?.state === "over"
  return (
    <Dialog
      title={batch === undefined ? `${act(sessions.length)}?` : act(sessions.length)}
      {...(batch === undefined || isOver ? { onClose: () => onClose(isOver) } : {})}
    >
      {batch === undefined ? (
        <>
          {warning}
          {without === 0 ? null : <p>{left(without)}</p>}
        </>
      ) : isOver ? null : (
        <>
          <p aria-hidden="true">
            {formatCount(batch.done)} of {formatCount(batch.total)}
          </p>
          <progress class="bulk-progress" aria-label="Progress" max={batch.total} value={batch.done} />
        </>
      )}
      {/* There from the start, because a screen reader may miss what a new region says. */}
      <p class={isOver ? "" : "visually-hidden"} role="status" aria-atomic="true">
        {batch === undefined ? "" : isOver ? done(batch.done - batch.failed.length) : roughly(batch)}
        {isOver && batch.done < batch.total
          ? ` Stopped: ${sessionCount(batch.total - batch.done)} not changed.`
          : null}
      </p>
      {batch === undefined ? null : <Failures of={batch.failed} />}
      <div class="row dialog-actions">
        {batch === undefined ? <Button onClick={() => onClose(false)}>Close</Button> : null}
        {batch === undefined ? (
          <Button key="last" look="danger" onClick={() => void start(sessions)}>
            {act(sessions.length)}
          </Button>
        ) : isOver ? (
          <Button key="last" onClick={() => onClose(true)}>
            Close
          </Button>
        ) : (
          <Button key="last" busy={batch.state === "stopping"} onClick={stop}>
            Stop
          </Button>
        )}
      </div>
    </Dialog>
  )
}

/** The ids of the selected sessions. */
export const useSelection = () => {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set())
  const choose = (those: ReadonlyArray<string>, isChosen: boolean) =>
    setIds((known) => {
      const next = new Set(known)
      for (const id of those) {
        if (isChosen) next.add(id)
        else next.delete(id)
      }
      return next
    })
  return { ids, choose, clear: () => setIds(new Set()) }
}

type Selection = ReturnType<typeof useSelection>

interface SelectProps {
  readonly session: Pick<Session, "id" | "external_reference">
  readonly selection: Selection
}

export const Select = ({ selection, session: { external_reference, id } }: SelectProps) => (
  <label class="select-session">
    <input
      type="checkbox"
      aria-label={`Select ${external_reference || id}`}
      checked={selection.ids.has(id)}
      onChange={({ currentTarget }) => selection.choose([id], currentTarget.checked)}
    />
  </label>
)

interface BulkBarProps {
  readonly sessions: ReadonlyArray<Session>
  readonly selection: Selection
  readonly onChange: () => Promise<unknown>
}

/** Selects all sessions that are shown, and offers what can be done with the selected ones. */
export const BulkBar = ({ onChange, selection, sessions }: BulkBarProps) => {
  const isOwner = useIsOwner()
  const [asked, setAsked] = useState<Act>()
  const [batches, setBatches] = useState(0)
  const all = useRef<HTMLInputElement>(null)
  const selected = sessions.filter(({ id }) => selection.ids.has(id))
  // After a batch, the button that had the focus is gone.
  useLayoutEffect(() => {
    if (batches > 0) all.current?.focus()
  }, [batches])
  const offered = (isOwner ? (["cancel", "destroy"] as const) : (["cancel"] as const)).flatMap((name) => {
    const count = selected.filter(acts[name].applies).length
    return count === 0 ? [] : [{ name, label: acts[name].act(count) }]
  })
  return (
    <div class="row bulk">
      <label class="check">
        <input
          ref={all}
          type="checkbox"
          checked={selected.length > 0 && selected.length === sessions.length}
          indeterminate={selected.length > 0 && selected.length < sessions.length}
          onChange={({ currentTarget }) =>
            selection.choose(
              sessions.map(({ id }) => id),
              currentTarget.checked
            )
          }
        />
        <span>Select all shown</span>
      </label>
      <span class="faint" role="status">
        {selected.length === 0 ? "" : `${formatCount(selected.length)} selected`}
      </span>
      {offered.map(({ label, name }) => (
        <Button key={name} onClick={() => setAsked(name)}>
          {label}
        </Button>
      ))}
      {asked === undefined ? null : (
        <BulkDialog
          name={asked}
          selected={selected}
          onClose={(worked) => {
            setAsked(undefined)
            if (!worked) return
            setBatches(batches + 1)
            selection.clear()
            void onChange()
          }}
        />
      )}
    </div>
  )
}
