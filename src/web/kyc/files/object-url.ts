import { useLayoutEffect, useState } from "preact/hooks"

/** The address of a picture in memory. A layout effect, so that no tick mark flashes where the picture will be. */
export const useObjectUrl = (blob: Blob | undefined): string | undefined => {
  const [url, setUrl] = useState<string>()
  useLayoutEffect(() => {
    if (blob === undefined) return setUrl(undefined)
    const made = URL.createObjectURL(blob)
    setUrl(made)
    return () => URL.revokeObjectURL(made)
  }, [blob])
  return url
}
