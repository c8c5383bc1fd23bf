import { useState } from "react"
import { createRoot } from "react-dom/client"
import { Verification } from "./verification.tsx"

/** Asks our own server, which has the API key, and gives what its JSON response says. */
const ask = async (path: string): Promise<Readonly<Record<string, string>>> => {
  const response = await fetch(path, { method: "POST" })
  if (!response.ok) throw new Error(`${path}: ${response.status}`)
  return response.json()
}

const App = () => {
  const [session, setSession] = useState<Readonly<Record<string, string>>>()
  const [result, setResult] = useState<string>()
  const start = async () => setSession(await ask("/verification"))
  const finish = async () => setResult((await ask(`/verification/${session?.id}`)).result)
  if (result !== undefined) return <h1>You are {result}</h1>
  if (session?.verificationUrl !== undefined)
    return <Verification verificationUrl={session.verificationUrl} onFinished={finish} />
  return (
    <button type="button" onClick={start}>
      Verify me
    </button>
  )
}

const place = document.getElementById("app")
if (place !== null) createRoot(place).render(<App />)
