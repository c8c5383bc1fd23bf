/** Shows other people's email addresses, which may imitate somebody else's. */
import { Badge } from "../common/parts.tsx"

/** Each character beyond ASCII, once. Letters of other scripts, and some Latin ones, look like ASCII letters. */
const unusualIn = (text: string): ReadonlyArray<string> => [...new Set(text.match(/[^ -~]/gu) ?? [])]

const codePoint = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`

/** The non-ASCII characters of an address, with their code points: lookalikes have different ones. */
export const UnusualLetters = ({ of: address }: { readonly of: string }) => {
  const unusual = unusualIn(address)
  return unusual.length === 0 ? null : (
    <Badge tone="warning">
      Unusual letters:{" "}
      {unusual.map((character, i) => (
        <span key={character}>
          {i === 0 ? "" : ", "}
          <bdi>{character}</bdi> ({codePoint(character)})
        </span>
      ))}
    </Badge>
  )
}

/** An address, with a warning if it contains non-ASCII letters. */
export const Address = ({ of: address }: { readonly of: string }) => (
  <>
    <bdi>{address}</bdi> <UnusualLetters of={address} />
  </>
)
