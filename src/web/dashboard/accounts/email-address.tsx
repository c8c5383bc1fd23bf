/** Email addresses of others, which may look like somebody else's. */
import { Badge } from "../common/parts.tsx"

/** Characters beyond ASCII, each once. Letters of other scripts, and some of Latin, look like those of ASCII. */
const unusualIn = (text: string): ReadonlyArray<string> => [...new Set(text.match(/[^ -~]/gu) ?? [])]

const codePoint = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`

/** The characters of an address that are not those of a plain one, by their numbers: what looks alike has another number. */
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

/** An address, with a warning where it is not of plain letters. */
export const Address = ({ of: address }: { readonly of: string }) => (
  <>
    <bdi>{address}</bdi> <UnusualLetters of={address} />
  </>
)
