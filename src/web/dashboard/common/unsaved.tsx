import { useState } from "preact/hooks"
import { Button } from "../../ui/parts.tsx"
import { Dialog } from "./dialog.tsx"
import { useGuard } from "./router.tsx"

/** Asks before the user leaves a `dirty` page. Returns the question to render, if any. */
export const useUnsaved = (dirty: boolean) => {
  const [answer, setAnswer] = useState<(leave: boolean) => void>()
  useGuard(dirty, () => new Promise((resolve) => setAnswer(() => resolve)))
  const decide = (leave: boolean) => {
    setAnswer(undefined)
    answer?.(leave)
  }
  return answer === undefined ? null : (
    <Dialog title="Leave without saving?" onClose={() => decide(false)}>
      <p>You will lose what you have entered on this page.</p>
      <div class="row dialog-actions">
        <Button onClick={() => decide(false)}>Stay</Button>
        <Button look="danger" onClick={() => decide(true)}>
          Leave
        </Button>
      </div>
    </Dialog>
  )
}
