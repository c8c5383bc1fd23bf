import { Badge } from "../common/parts.tsx"

const codePoint = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`

/** Non-ASCII characters, which may imitate other addresses, with the code points that tell lookalikes apart. */
export const UnusualLetters = ({ of: address }: { readonly of: string }) => {
  const unusual = [...new Set(address.match(/[^ -~]/gu))]
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

export const Address = ({ of: address }: { readonly of: string }) => (
  <>
    <bdi>{address}</bdi> <UnusualLetters of={address} />
  </>
)
