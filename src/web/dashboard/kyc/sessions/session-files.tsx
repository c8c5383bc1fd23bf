import { useState } from "preact/hooks"
import { Button } from "../../../ui/parts.tsx"
import { useMayWrite } from "../../common/account.ts"
import { addressOf } from "../../common/call.ts"
import type { Answer } from "../../common/contract.ts"
import { Table } from "../../common/table.tsx"
import { Time } from "../../common/time.tsx"
import { fileTypes, kilobytes } from "./timeline.tsx"

type StoredFile = Answer<"kyc-partner-files.list">["files"][number]

/** The image types of every browser. */
const shownTypes: ReadonlyArray<string> = ["image/jpeg", "image/png", "image/webp"]

const Picture = ({ address, name }: { readonly address: string; readonly name: string }) => {
  const [state, setState] = useState<"hidden" | "shown" | "failed">("hidden")
  if (state === "shown") {
    return (
      <span class="picture">
        <img src={address} alt={name} onError={() => setState("failed")} />
        <Button onClick={() => setState("hidden")}>
          Hide <span class="visually-hidden">{name}</span>
        </Button>
      </span>
    )
  }
  return (
    <>
      <Button onClick={() => setState("shown")}>
        {state === "failed" ? "Try again" : "Show"} <span class="visually-hidden">{name}</span>
      </Button>
      {state === "failed" ? <p class="error">It could not be loaded.</p> : null}
    </>
  )
}

interface SessionFilesProps {
  readonly sessionId: string
  readonly files: ReadonlyArray<StoredFile>
  /** What each file shows, by its id. */
  readonly mentioned: ReadonlyMap<string, string>
}

/** The end user's uploads. Each file is loaded only on request. */
export const SessionFiles = ({ files, mentioned, sessionId }: SessionFilesProps) => {
  // The API has the same rule.
  const mayReadOriginals = useMayWrite()
  if (files.length === 0) return <p class="faint">None.</p>
  const nameOf = ({ id }: StoredFile) => mentioned.get(id) || "Not referred to"
  const addressOfFile = ({ id }: StoredFile) =>
    addressOf("kyc-partner-files.read", { path: { id: sessionId, fileId: id } })
  return (
    <Table
      label="Files of the session, oldest first"
      rows={files}
      columns={[
        { label: "What it is", cell: nameOf, under: ({ id }) => <code>{id}</code> },
        { label: "Type", cell: ({ content_type }) => fileTypes[content_type] },
        { label: "Size", cell: ({ size }) => kilobytes(size) },
        { label: "Received", cell: ({ created_at }) => <Time at={created_at} /> },
        {
          label: "Actions",
          actions: true,
          cell: (file) => (
            <span class="file-actions">
              {shownTypes.includes(file.content_type) ? (
                <Picture address={addressOfFile(file)} name={nameOf(file)} />
              ) : null}
              <a class="button" href={addressOfFile(file)} download>
                Download <span class="visually-hidden">{nameOf(file)}</span>
              </a>
              {mayReadOriginals && file.content_type !== "application/pdf" ? (
                <a
                  class="button"
                  href={`${addressOfFile(file)}?original=true`}
                  title="As it was uploaded, with the camera's metadata"
                  download
                >
                  Original <span class="visually-hidden">of {nameOf(file)}</span>
                </a>
              ) : null}
            </span>
          )
        }
      ]}
    />
  )
}
